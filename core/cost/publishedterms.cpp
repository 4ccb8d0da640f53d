#include "core/cost/publishedterms.h"

#include "core/base/text.h"

#include <algorithm>
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

StatedTerm statedRecomputation(std::string_view text)
{
    const std::string words = lowered(text);
    const std::string quoted = " (the row says \"" + std::string(text.substr(0, 60)) + "\")";
    if (words.empty())
        return {"none", "no recomputation"};
    if (words.starts_with("none"))
        return {"none", ""};
    if (words == "full")
        return {"full", ""};
    if (words == "selective")
        return {"selective", ""};
    if (words == "selective (recalled)")
        return {"selective", "selective recomputation" + quoted};
    return {"none", "no recomputation" + quoted};
}

} // namespace prism
