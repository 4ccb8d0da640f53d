// SPDX-License-Identifier: GPL-3.0-or-later
// Parameter table: the cluster section (GPU, node, fabric).
#include "core/scenario/parameterentry.h"
#include "core/scenario/presetlibrary.h"

namespace prism::table {
namespace {

std::vector<std::string> withNone(std::vector<std::string> names)
{
    names.insert(names.begin(), "");
    return names;
}

void addGpu(std::vector<Parameter>& t)
{
    t.push_back(choice(
        {"cluster.gpu.preset", "GPU", "", "", "The GPU of the library that the section starts from. Setting it loads the whole GPU."},
        withNone(presetNames("gpu")), PRISM_FIELD(cluster.gpu.preset)));
    t.push_back(
        advanced(text({"cluster.gpu.name", "GPU name", "", "", "Name on charts; changes no number."}, PRISM_FIELD(cluster.gpu.name))));
    t.push_back(advanced(real({"cluster.gpu.peak_bf16_tflops", "Peak BF16", "", "TFLOP/s", "Dense matrix throughput without sparsity."}, 0,
                              1e6, PRISM_FIELD(cluster.gpu.peakBf16Tflops))));
    t.push_back(advanced(real({"cluster.gpu.peak_fp16_tflops", "Peak FP16", "", "TFLOP/s", "Dense matrix throughput without sparsity."}, 0,
                              1e6, PRISM_FIELD(cluster.gpu.peakFp16Tflops))));
    t.push_back(advanced(
        real({"cluster.gpu.peak_fp8_tflops", "Peak FP8", "", "TFLOP/s", "Dense matrix throughput without sparsity; 0 = not supported."}, 0,
             1e6, PRISM_FIELD(cluster.gpu.peakFp8Tflops))));
    t.push_back(advanced(
        real({"cluster.gpu.peak_fp4_tflops", "Peak FP4", "", "TFLOP/s", "Dense matrix throughput without sparsity; 0 = not supported."}, 0,
             1e6, PRISM_FIELD(cluster.gpu.peakFp4Tflops))));
    t.push_back(
        advanced(real({"cluster.gpu.peak_tf32_tflops", "Peak TF32", "", "TFLOP/s", "Dense TF32 matrix throughput; 0 = not supported."}, 0,
                      1e6, PRISM_FIELD(cluster.gpu.peakTf32Tflops))));
    t.push_back(advanced(real({"cluster.gpu.peak_fp32_tflops", "Peak FP32", "", "TFLOP/s", "Vector throughput in single precision."}, 0,
                              1e6, PRISM_FIELD(cluster.gpu.peakFp32Tflops))));
    t.push_back(advanced(
        real({"cluster.gpu.memory_gib", "GPU memory", "", "GiB", "Capacity of one GPU."}, 0.5, 1e5, PRISM_FIELD(cluster.gpu.memoryGib))));
    t.push_back(advanced(real(
        {"cluster.gpu.memory_bandwidth_gb_per_s", "Memory bandwidth", "", "GB/s", "Peak bandwidth of the GPU's own memory, decimal GB/s."},
        1, 1e7, PRISM_FIELD(cluster.gpu.memoryBandwidthGbPerS))));
    t.push_back(advanced(integer({"cluster.gpu.num_sms", "Multiprocessors", "SM", "",
                                  "Streaming multiprocessors (compute units): tile quantisation of GEMMs depends on it."},
                                 1, 4096, PRISM_FIELD(cluster.gpu.numSms))));
    t.push_back(advanced(real({"cluster.gpu.boost_clock_mhz", "Boost clock", "", "MHz", "Clock at which the peak throughput holds."}, 100,
                              10000, PRISM_FIELD(cluster.gpu.boostClockMhz))));
    t.push_back(advanced(real({"cluster.gpu.board_power_w", "Board power", "", "W",
                               "Power limit of one GPU's board: matrix kernels lower the clock to stay below it. 0 = not known; the boost "
                               "clock is then taken as sustained."},
                              0, 1e5, PRISM_FIELD(cluster.gpu.boardPowerW))));
}

void addFabric(std::vector<Parameter>& t)
{
    t.push_back(
        choice({"cluster.fabric", "Node and fabric", "", "",
                "The node and network of the library that the section starts from. Setting it loads GPUs per node, links and topology."},
               withNone(presetNames("fabric")), PRISM_FIELD(cluster.fabricPreset)));
    t.push_back(integer({"cluster.num_gpus", "GPUs", "", "GPUs", "GPUs of the job. Must be a multiple of TP x CP x PP."}, 1, 1 << 20,
                        PRISM_FIELD(cluster.numGpus)));
    t.push_back(advanced(
        integer({"cluster.gpus_per_node", "GPUs per node", "", "GPUs", "GPUs that share the fast links (an NVLink domain, e.g. 8 or 72)."},
                1, 1024, PRISM_FIELD(cluster.gpusPerNode))));
    t.push_back(advanced(real({"cluster.intra_node_gb_per_s", "Intra-node bandwidth", "", "GB/s", "Per GPU and direction, inside a node."},
                              0.1, 1e5, PRISM_FIELD(cluster.intraNodeGbPerS))));
    t.push_back(advanced(
        real({"cluster.intra_node_latency_us", "Intra-node latency", "", "us", "Latency of one hop of a collective inside a node."}, 0, 1e4,
             PRISM_FIELD(cluster.intraNodeLatencyUs))));
    t.push_back(advanced(real({"cluster.intra_node_base_latency_us", "Intra-node base latency", "", "us",
                               "Latency of a short collective inside a node before its hops, where it was measured (older libraries); 0 = "
                               "as in the calibrated tables."},
                              0, 1e4, PRISM_FIELD(cluster.intraNodeBaseLatencyUs))));
    t.push_back(advanced(choice({"cluster.intra_node_topology", "Intra-node topology", "", "",
                                 "switch: any two GPUs have the full bandwidth; full_mesh: each pair has its own links; hybrid_cube_mesh: "
                                 "two meshes of four, joined (DGX-1)."},
                                {"switch", "full_mesh", "hybrid_cube_mesh"}, PRISM_FIELD(cluster.intraNodeTopology))));
    t.push_back(advanced(boolean(
        {"cluster.nvls_supported", "In-switch reduction", "NVLS", "", "The intra-node switch reduces and multicasts (NVLink SHARP)."},
        PRISM_FIELD(cluster.nvlsSupported))));
    t.push_back(advanced(boolean({"cluster.in_network_reduction", "In-network reduction", "SHARP", "",
                                  "The switches between nodes reduce (SHARP through NCCL's CollNet; --use-sharp). Off by default."},
                                 PRISM_FIELD(cluster.inNetworkReduction))));
    t.push_back(real({"cluster.inter_node_gb_per_s", "Inter-node bandwidth", "", "GB/s",
                      "Per GPU and direction, between nodes (its share of the network cards)."},
                     0.01, 1e5, PRISM_FIELD(cluster.interNodeGbPerS)));
    t.push_back(advanced(
        real({"cluster.inter_node_latency_us", "Inter-node latency", "", "us", "Latency of one hop of a collective between nodes."}, 0, 1e5,
             PRISM_FIELD(cluster.interNodeLatencyUs))));
    t.push_back(advanced(
        real({"cluster.inter_node_efficiency", "Inter-node efficiency", "", "",
              "Share of the inter-node bandwidth that collectives of long messages reach, where it was measured; 0 = as calibrated."},
             0, 1, PRISM_FIELD(cluster.interNodeEfficiency))));
    t.push_back(
        advanced(choice({"cluster.topology", "Topology", "", "",
                         "rail_optimized: GPUs of the same number share a leaf switch, so that an all-to-all crosses the node first (PXN); "
                         "fat_tree: nodes of a rack share it."},
                        {"rail_optimized", "fat_tree"}, PRISM_FIELD(cluster.topology))));
    t.push_back(advanced(real(
        {"cluster.oversubscription", "Oversubscription", "", "", "Bandwidth into a pod's nodes over bandwidth out of the pod; 1 = none."},
        1, 64, PRISM_FIELD(cluster.oversubscription))));
    t.push_back(advanced(integer({"cluster.nodes_per_pod", "Nodes per pod", "", "nodes",
                                  "Nodes that reach each other without the oversubscribed layer; ranks fill them in order."},
                                 1, 1 << 20, PRISM_FIELD(cluster.nodesPerPod))));
    t.push_back(advanced(real({"cluster.gpu_hour_price_usd", "GPU hour", "", "USD", "Price of one GPU for one hour, for cost figures."}, 0,
                              1e4, PRISM_FIELD(cluster.gpuHourPriceUsd))));
}

} // namespace

void addCluster(std::vector<Parameter>& t)
{
    addGpu(t);
    addFabric(t);
}

} // namespace prism::table
