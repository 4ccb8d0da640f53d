// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/calibrate/publishedterms.h"

#include "core/base/text.h"

#include <algorithm>
#include <map>
#include <vector>

namespace prism {
namespace {

/// Letters and digits that belong together, in lower case: "FP8-CS" -> fp8, cs.
std::vector<std::string> wordsOf(std::string_view text)
{
    std::vector<std::string> words(1);
    for (const char c : lowered(text)) {
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            words.back() += c;
        else if (!words.back().empty())
            words.emplace_back();
    }
    return words;
}

} // namespace

std::optional<StatedTerm> statedPrecision(std::string_view text)
{
    const std::vector<std::string> words = wordsOf(text);
    const auto has = [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); };
    const std::string quoted = " (the row says \"" + std::string(text.substr(0, 60)) + "\")";
    if (has("nvfp4"))
        return StatedTerm{"nvfp4", ""};
    if (has("mxfp8"))
        return StatedTerm{"mxfp8", has("fp8") ? "MXFP8" + quoted : ""};
    if (has("fp8") && has("mx"))
        return StatedTerm{"mxfp8", ""};
    if (has("fp8") && has("cs")) // current scaling
        return StatedTerm{"fp8_tensorwise", ""};
    if (has("fp8"))
        return StatedTerm{"fp8_delayed", "FP8 with delayed scaling"};
    if (has("bf16"))
        return StatedTerm{"bf16", has("fp16") ? "BF16" + quoted : ""};
    if (has("fp16"))
        return StatedTerm{"fp16", ""};
    if (has("fp32"))
        return StatedTerm{"fp32", ""};
    return std::nullopt;
}

StatedRecomputation statedRecomputation(std::string_view text)
{
    const std::string trimmedText(trimmed(text));
    const std::string quoted = " (the row says \"" + trimmedText.substr(0, 60) + "\")";
    const std::vector<std::string> words = wordsOf(text);
    if (trimmedText.empty())
        return {"none", "", "no recomputation"};
    if (words.front() == "none")
        return {"none", "", ""};
    if (lowered(trimmedText) == "full")
        return {"full", "", ""};
    // Megatron-Core's modules, and the short names of its model zoo; "selective" alone is core attention.
    static const std::map<std::string, std::string, std::less<>> kModules{
        {"norm", "layernorm"}, {"layernorm", "layernorm"}, {"act", "moe_act"}, {"moe", "moe"}, {"mlp", "mlp"}};
    std::vector<std::string> modules;
    bool recalled = false;
    for (const std::string& word : words) {
        if (const auto it = kModules.find(word); it != kModules.end())
            modules.push_back(it->second);
        else if (word == "recalled")
            recalled = true;
        else if (word != "selective" && !word.empty())
            return {"none", "", "no recomputation" + quoted};
    }
    if (modules.empty())
        modules.emplace_back("core_attn");
    return {"selective", joined(modules, " "), recalled ? "selective recomputation of core attention" + quoted : ""};
}

} // namespace prism
