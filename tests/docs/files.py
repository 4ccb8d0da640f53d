# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that the examples of the pages use: a job, its launch script, logs, tables, traces, a study. All are made here or by prism-cli."""
import json
import os
import pathlib
import random
import shutil
import subprocess

CONFIG = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336,
          "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8, "vocab_size": 128256,
          "max_position_embeddings": 8192, "tie_word_embeddings": False, "torch_dtype": "bfloat16"}
LAUNCH = """#!/bin/bash
ARGS="--num-layers 32 --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32 --seq-length 4096 --swiglu
 --group-query-attention --num-query-groups 8 --vocab-size 128256 --bf16 --use-distributed-optimizer
 --tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 --micro-batch-size 1 --global-batch-size 64"
torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py $ARGS
"""
SMALL = ["--set", "cluster.num_gpus=16", "--set", "parallelism.tp=2", "--set", "parallelism.pp=2", "--set", "training.global_batch_size=64",
         "--set", "training.train_tokens=1T"]


def nccl_log():
    head = ("# nThread 1 nGpus 8 minBytes 1024 maxBytes 1073741824 step: 4(factor)\n# Collective test starting: all_reduce_perf\n"
            "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong\n")
    head += "".join(f"#  Rank  {r} Group  0 Pid 1 on n1 device {r} [0x0{r}] NVIDIA H100\n" for r in range(8))
    rows = ""
    for power in range(10, 31, 2):
        size = 1 << power
        us = 30 + size / 250e9 * 1e6  # a latency and an algorithm bandwidth of one node
        rate = size / us / 1e3
        column = f"{us:9.2f} {rate:7.2f} {rate * 1.75:7.2f}      0"
        rows += f"{size:12d} {size // 4:13d}     float     sum      -1 {column} {column}\n"
    return head + rows


def stage_table(first=0, backward=1.0):
    """24 steps of two replicas with two stages and two micro-batches under 1F1B; the second worker of stage 1 is 10 % slower."""
    rows = ["dp_rank,stage,rank,step,optype,start_ts,duration,seq_id,mc,mb_id"]
    for step in range(first, first + 24):
        noise = random.Random(step)
        for dp in range(2):
            for stage in range(2):
                slow = 1.1 if (dp, stage) == (1, 1) else 1.0
                t = 100.0 * step + 10.0 * stage
                for micro in range(2):
                    f = slow * (0.5 + 0.01 * noise.random())
                    if stage == 1:
                        rows.append(f"{dp},{stage},{dp * 2 + stage},{step},forward-recv,{t - 0.1:.4f},0.1000,{micro},0,{micro}")
                    rows.append(f"{dp},{stage},{dp * 2 + stage},{step},forward-compute,{t:.4f},{f:.4f},{micro},0,{micro}")
                    if stage == 0:
                        rows.append(f"{dp},{stage},{dp * 2 + stage},{step},forward-send,{t + f:.4f},0.1000,{micro},0,{micro}")
                    t += 3
                t = 100.0 * step + 40.0 - 10.0 * stage
                for micro in range(2):
                    b = slow * (backward + 0.02 * noise.random())
                    if stage == 0:
                        rows.append(f"{dp},{stage},{dp * 2 + stage},{step},backward-recv,{t - 0.1:.4f},0.1000,{micro},0,{micro}")
                    rows.append(f"{dp},{stage},{dp * 2 + stage},{step},backward-compute,{t:.4f},{b:.4f},{micro},0,{micro}")
                    if stage == 1:
                        rows.append(f"{dp},{stage},{dp * 2 + stage},{step},backward-send,{t + b:.4f},0.1000,{micro},0,{micro}")
                    t += 3
                rows.append(f"{dp},{stage},{dp * 2 + stage},{step},grads-reduce-scatter,{100.0 * step + 60:.4f},1.0000,0,0,0")
                rows.append(f"{dp},{stage},{dp * 2 + stage},{step},optimizer,{100.0 * step + 62:.4f},0.2000,0,0,0")
    return "\n".join(rows) + "\n"


def profile(rank):
    """Three profiled steps of one of two ranks: a product, an all-reduce that ends on both at once, another product; microseconds."""
    events, start = [], 0
    for step in range(3):
        arrival, end = 900 + 40 * ((step + 2 * rank) % 3), 1100 + 10 * step
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step}", "ts": start, "dur": end + 400})
        for name, begin, duration in (("gemm", 0, arrival), ("ncclDevKernel_AllReduce", arrival, end - arrival), ("gemm", end, 400)):
            events.append({"ph": "X", "cat": "kernel", "name": name, "ts": start + begin, "dur": duration, "args": {"stream": 7, "device": 0}})
        start += end + 400
    return json.dumps({"distributedInfo": {"rank": rank, "world_size": 2}, "traceEvents": events})


def write_plain(folder):
    """Everything that needs no program."""
    def write(name, text):
        (folder / name).write_text(text)
    write("config.json", json.dumps(CONFIG))
    write("launch.sh", LAUNCH)
    write("all_reduce.log", nccl_log())
    shapes = [(m, n, k) for m in (1024, 4096) for n in (4096, 14336) for k in (4096, 8192)]
    write("gemm.csv", "op,m,n,k,dtype,time_us\n" + "".join(f"gemm,{m},{n},{k},bf16,{2 * m * n * k / 600e12 * 1e6 + 5:.2f}\n" for m, n, k in shapes))
    write("speeds.csv", "node,relative_speed\n0,1.0\n1,0.93\n")
    noise = random.Random(1)
    write("jobs.csv", "job_id,submit_time,gpu_num,duration,model\n"
          + "".join(f"{i},{i * 90},{noise.choice([1, 2, 8, 16])},{noise.randint(600, 9000)},{noise.choice(['llm', 'cnn'])}\n" for i in range(60)))
    write("cluster.json", json.dumps({"nodes": 4, "gpus_per_node": 8, "node_time": {"family": "lognormal", "cv": 0.05},
                                      "classes": {"default": {"family": "lognormal", "cv": 0.12}}}))
    write("stages.csv", stage_table())
    write("after.csv", stage_table(24, 1.05))
    (folder / "profiles").mkdir()
    for rank in range(2):
        write(f"profiles/rank{rank}.json", profile(rank))
    write("meta.yaml", "dp_size: 2\npp_size: 2\nvpp_size: 1\n")


def log_of(seconds):
    return "".join(f" [2026-01-01 00:00:00] iteration {i + 1:8d}/ {len(seconds):8d} | consumed samples: {64 * (i + 1):12d} "
                   f"| elapsed time per iteration (ms): {1000 * s:.1f} | learning rate: 1.0E-04\n" for i, s in enumerate(seconds))


def make(folder, cli, source):
    """A clean folder with every file; `source` is the checkout, whose presets the examples name by their place in it."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True)
    write_plain(folder)
    (folder / "presets").symlink_to(source / "presets")

    def run(*arguments):
        done = subprocess.run([cli, *arguments], cwd=folder, capture_output=True, text=True,
                              env=dict(os.environ, PRISM_PRESETS=str(source / "presets"), XDG_STATE_HOME=str(folder / ".state")))
        if done.returncode != 0:
            raise SystemExit(f"cannot make the files of the examples: prism-cli {' '.join(arguments)}\n{done.stderr}")
    run("import", "hf-config", "config.json", "--output", "mine.json")
    run("new", "mine.json", *SMALL, "--name", "mine", "--output", "mine.json")
    run("predict", "mine.json", "--samples", "2000", "--quiet", "--output", "report.txt", "--within-samples-out", "within.csv")
    seconds = [float(line.split(",")[1]) for line in (folder / "within.csv").read_text().splitlines()[1:]]
    (folder / "train.log").write_text(log_of(seconds[:400]))
    (folder / "friday.log").write_text(log_of(seconds[400:500] + seconds[100:400]))
    for name, fit in (("train", "one"), ("friday", "two")):
        run("calibrate", "fit", "mine.json", f"{name}.log", "--samples", "500", "--json", "--output", f"{fit}.json")
    run("study", "add", "plan.prism", "mine.json", "--name", "base")
    run("study", "add", "plan.prism", "mine.json", "--name", "tp4", "--set", "parallelism.tp=4")
    (folder / "report.txt").unlink()
    (folder / "within.csv").unlink()
    shutil.rmtree(folder / ".state", ignore_errors=True)
