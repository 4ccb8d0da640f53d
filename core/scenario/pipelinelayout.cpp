// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/pipelinelayout.h"
#include "core/scenario/scenariolimits.h"

#include "core/base/text.h"

#include <algorithm>

namespace prism {
namespace {

constexpr const char* kPath = "parallelism.pipeline_model_parallel_layout";
constexpr const char* kNotation = "E, t, m, L and |, with t*3 or (tt|)*4 for repeats, such as \"Ettt|(tt|)*6ttmL\"";

Diagnostic layoutError(std::string message, std::string found, std::string accepted, std::string fixPath = {}, std::string fixValue = {})
{
    return {Severity::error, kPath, std::move(message), std::move(found), std::move(accepted), std::move(fixPath), std::move(fixValue)};
}

/// Writes the repeats out. Groups do not nest, as in Megatron-Core.
class Expander final {
public:
    explicit Expander(std::string_view text) : m_text(text) {}

    [[nodiscard]] Result<std::string> run()
    {
        std::string all = sequence(m_text.size(), true);
        if (!m_errors.empty())
            return m_errors;
        return all;
    }

private:
    std::string_view m_text;
    std::size_t m_at = 0;
    Diagnostics m_errors;

    void reject(std::size_t at, std::string message)
    {
        if (m_errors.size() < 8) // a text of 200 wrong characters needs no 200 errors
            m_errors.push_back(layoutError(
                std::move(message), "\"" + std::string(m_text.substr(at, 12)) + "\" at character " + std::to_string(at + 1), kNotation));
    }
    /// "*12" after an item; 1 without it.
    std::size_t times()
    {
        if (m_at >= m_text.size() || m_text[m_at] != '*')
            return 1;
        const std::size_t star = m_at++;
        std::size_t n = 0;
        bool digits = false;
        for (; m_at < m_text.size() && m_text[m_at] >= '0' && m_text[m_at] <= '9'; ++m_at, digits = true)
            n = std::min<std::size_t>(n * 10 + static_cast<std::size_t>(m_text[m_at] - '0'), kMaxLayoutPlaces + 1);
        if (!digits || n == 0)
            reject(star, "a repeat needs a number of at least 1 after *");
        return std::max<std::size_t>(n, 1);
    }
    void append(std::string& to, const std::string& part, std::size_t n, std::size_t at)
    {
        if (to.size() + part.size() * n > kMaxLayoutPlaces)
            reject(at, "the layout has too many places");
        else
            for (; n > 0; --n)
                to += part;
    }
    std::string sequence(std::size_t end, bool outer)
    {
        std::string out;
        while (m_at < end) {
            const std::size_t at = m_at;
            const char c = m_text[m_at++];
            if (c == ',')
                continue;
            if (c == '(' && outer) {
                const std::size_t close = m_text.find(')', m_at);
                if (close == std::string_view::npos) {
                    reject(at, "a group is not closed");
                    return out;
                }
                const std::string inner = sequence(close, false);
                m_at = close + 1;
                if (m_at >= m_text.size() || m_text[m_at] != '*')
                    reject(at, "a group needs a repeat, like (tt|)*4");
                append(out, inner, times(), at);
            } else if (c == 'E' || c == 't' || c == 'm' || c == 'L' || c == '|') {
                append(out, std::string(1, c), times(), at);
            } else {
                reject(at, c == '(' ? "groups do not nest" : "this character has no meaning in a layout");
            }
        }
        return out;
    }
};

int count(const std::vector<ChunkContents>& chunks, int ChunkContents::*what)
{
    int n = 0;
    for (const ChunkContents& c : chunks)
        n += c.*what;
    return n;
}

} // namespace

Result<std::vector<ChunkContents>> pipelineLayout(std::string_view text)
{
    const Result<std::string> places = Expander(text).run();
    if (!places)
        return places.errors();
    std::vector<ChunkContents> chunks(1);
    Diagnostics errors;
    int embeddings = 0, losses = 0, mtpChunks = 0;
    bool layerAfterMtp = false;
    for (const char c : *places) {
        ChunkContents& chunk = chunks.back();
        layerAfterMtp = layerAfterMtp || (c == 't' && mtpChunks > 0);
        switch (c) {
        case '|':
            chunks.emplace_back();
            break;
        case 'E':
            ++embeddings, chunk.embedding = true;
            break;
        case 'L':
            ++losses, chunk.loss = true;
            break;
        case 'm':
            mtpChunks += chunk.mtpLayers++ == 0 ? 1 : 0;
            break;
        default:
            ++chunk.layers;
            break;
        }
    }
    if (embeddings != 1 || places->empty() || places->front() != 'E')
        errors.push_back(layoutError("the embedding comes first, once", std::to_string(embeddings) + " x E", "one E, at the beginning"));
    if (losses != 1 || places->empty() || places->back() != 'L')
        errors.push_back(layoutError("the loss comes last, once", std::to_string(losses) + " x L", "one L, at the end"));
    if (mtpChunks > 1 || layerAfterMtp)
        errors.push_back(layoutError("multi-token prediction layers come after all layers, in one chunk",
                                     std::to_string(mtpChunks) + " chunks with m", "all m in one chunk, after the last t"));
    for (std::size_t i = 0; i < chunks.size(); ++i)
        if (chunks[i] == ChunkContents{}) {
            errors.push_back(layoutError("a chunk holds nothing", "chunk " + std::to_string(i + 1) + " of " + std::to_string(chunks.size()),
                                         "at least one of E, t, m, L in every chunk"));
            break;
        }
    if (!errors.empty())
        return errors;
    return chunks;
}

Diagnostics pipelineLayoutErrors(const Scenario& scenario)
{
    const ParallelismConfig& p = scenario.parallelism;
    if (p.pipelineModelParallelLayout.empty())
        return {};
    const Result<std::vector<ChunkContents>> layout = pipelineLayout(p.pipelineModelParallelLayout);
    if (!layout)
        return layout.errors();
    Diagnostics errors;
    const int chunks = static_cast<int>(layout->size()), pp = p.pipelineModelParallelSize, vpp = p.virtualPipelineModelParallelSize;
    if (chunks != pp * vpp) {
        const bool viaVpp = chunks % pp == 0 && chunks > pp;
        errors.push_back(layoutError("the layout does not have PP x VPP chunks",
                                     std::to_string(chunks) + " chunks, PP " + std::to_string(pp) + " x VPP " + std::to_string(vpp),
                                     std::to_string(pp * vpp) + " chunks" + (viaVpp ? ", or VPP " + std::to_string(chunks / pp) : ""),
                                     viaVpp ? "parallelism.virtual_pipeline_model_parallel_size" : kPath,
                                     viaVpp ? std::to_string(chunks / pp) : "\"\""));
    }
    if (const int layers = count(*layout, &ChunkContents::layers); layers != scenario.model.numLayers)
        errors.push_back(layoutError("the layout does not hold the layers of the model",
                                     std::to_string(layers) + " x t, " + std::to_string(scenario.model.numLayers) + " layers",
                                     std::to_string(scenario.model.numLayers) + " x t", kPath, "\"\""));
    if (const int mtp = count(*layout, &ChunkContents::mtpLayers); mtp != scenario.model.mtpNumLayers)
        errors.push_back(layoutError("the layout does not hold the multi-token prediction layers of the model",
                                     std::to_string(mtp) + " x m, " + std::to_string(scenario.model.mtpNumLayers) + " layers",
                                     std::to_string(scenario.model.mtpNumLayers) + " x m", kPath, "\"\""));
    if (p.numLayersInFirstPipelineStage > 0 || p.numLayersInLastPipelineStage > 0 || p.accountForEmbeddingInPipelineSplit
        || p.accountForLossInPipelineSplit)
        errors.push_back(layoutError("a layout defines the place of every layer; the other options of an uneven split exclude it",
                                     "layers in first or last stage, or embedding or loss counted as a layer", "the layout alone", kPath,
                                     "\"\""));
    return errors;
}

} // namespace prism
