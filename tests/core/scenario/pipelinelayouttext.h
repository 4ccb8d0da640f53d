// SPDX-License-Identifier: GPL-3.0-or-later
// Layouts for tests: the shortest usual text of one, which reads back to the same chunks, and one as even as whole layers allow.
#pragma once

#include "core/scenario/pipelinelayout.h"

#include <algorithm>

namespace prism::test {

/// "Ettttm" -> "Et*4m"; up to three in a row stay as they are.
inline std::string chunkText(const ChunkContents& c)
{
    const auto repeated = [](char letter, int n) {
        return n <= 3 ? std::string(static_cast<std::size_t>(std::max(0, n)), letter) : std::string(1, letter) + "*" + std::to_string(n);
    };
    std::string text(c.embedding ? "E" : "");
    text += repeated('t', c.layers);
    text += repeated('m', c.mtpLayers);
    text += c.loss ? "L" : "";
    return text;
}

inline std::string pipelineLayoutText(const std::vector<ChunkContents>& chunks)
{
    std::string text;
    for (std::size_t i = 0; i < chunks.size();) {
        std::size_t same = i + 1;
        while (same < chunks.size() && chunks[same] == chunks[i])
            ++same;
        const std::size_t n = same - i;
        std::string one = chunkText(chunks[i]);
        if (same < chunks.size())
            one += '|'; // the last chunk computes the loss and is the only one of its kind
        std::string folded = "(";
        folded += one;
        folded += ")*" + std::to_string(n);
        if (n > 1 && folded.size() < n * one.size())
            text += folded;
        else
            for (std::size_t j = 0; j < n; ++j)
                text += one;
        i = same;
    }
    return text;
}

inline std::vector<ChunkContents> evenPipelineLayout(int numLayers, int mtpNumLayers, int numChunks)
{
    const int parts = std::max(1, numChunks);
    std::vector<ChunkContents> chunks(static_cast<std::size_t>(parts));
    for (int i = 0; i < parts; ++i)
        chunks[static_cast<std::size_t>(i)].layers = (numLayers + mtpNumLayers) / parts + (i < (numLayers + mtpNumLayers) % parts ? 1 : 0);
    chunks.front().embedding = chunks.back().loss = true;
    chunks.back().mtpLayers = std::min(mtpNumLayers, chunks.back().layers);
    chunks.back().layers -= chunks.back().mtpLayers;
    return chunks;
}

} // namespace prism::test
