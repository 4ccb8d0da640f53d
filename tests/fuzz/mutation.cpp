// SPDX-License-Identifier: GPL-3.0-or-later
#include "fuzz/mutation.h"

#include <algorithm>
#include <cctype>

namespace prism::fuzz {
namespace {

constexpr std::size_t kMaxWords = 4'000;

/// What readers stumble over.
const std::vector<std::string>& extremes()
{
    static const std::vector<std::string> words = {"0",
                                                   "-1",
                                                   "1e308",
                                                   "1e-308",
                                                   "9223372036854775807",
                                                   "18446744073709551616",
                                                   "NaN",
                                                   "inf",
                                                   "1e17",
                                                   "2147483648",
                                                   "[",
                                                   "]",
                                                   "{",
                                                   "}",
                                                   "\"",
                                                   ",",
                                                   "\n",
                                                   "\r\n",
                                                   "\t",
                                                   "\\",
                                                   "null",
                                                   "true",
                                                   "\x1b[2J",
                                                   "#",
                                                   "''",
                                                   "$(x)",
                                                   "\xff",
                                                   "\xef\xbb\xbf",
                                                   "../",
                                                   "%",
                                                   "GB/s",
                                                   "k",
                                                   "=",
                                                   ":",
                                                   ";",
                                                   "--",
                                                   "@",
                                                   " "};
    return words;
}

void addWords(const std::string& text, std::vector<std::string>& words)
{
    std::string word;
    for (const char c : text) {
        const bool letter = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '-';
        if (letter && word.size() < 40)
            word += c;
        if (!letter && !word.empty()) {
            if (words.size() < kMaxWords)
                words.push_back(word);
            word.clear();
        }
    }
}

} // namespace

Mutator::Mutator(std::uint64_t seed, std::vector<std::string> seeds, const Target& target)
    : m_random(seed),
      m_seeds(std::move(seeds)),
      m_words(extremes()),
      m_maxBytes(target.maxBytes),
      m_mutate(target.mutate)
{
    if (m_seeds.empty())
        m_seeds.emplace_back();
    for (const std::string& s : m_seeds)
        addWords(s.substr(0, m_maxBytes), m_words);
}

std::string Mutator::next()
{
    std::string input = m_seeds[m_used < m_seeds.size() ? m_used : below(m_seeds.size())];
    if (m_used++ >= m_seeds.size())
        for (std::size_t i = 0, n = 1 + below(6); i < n; ++i)
            input = m_mutate != nullptr && below(2) == 0 ? m_mutate(std::move(input), m_random) : changed(std::move(input));
    input.resize(std::min(input.size(), m_maxBytes));
    return input;
}

std::string Mutator::changed(std::string input)
{
    const std::size_t at = below(input.size() + 1), length = below(std::min<std::size_t>(input.size() - at + 1, 64));
    const std::string& word = m_words[below(m_words.size())];
    switch (below(9)) {
    case 0: // one bit
        if (at < input.size())
            input[at] = static_cast<char>(static_cast<unsigned char>(input[at]) ^ (1U << below(8)));
        return input;
    case 1: // cut out
        return input.erase(at, length);
    case 2: // repeat
        return input.insert(at, input.substr(at, length));
    case 3: // many times
        for (std::size_t i = below(64); i > 0 && input.size() < m_maxBytes; --i)
            input.insert(at, word);
        return input;
    case 4: // a word in place of another: letters and digits up to the next that is none
    {
        std::size_t end = at;
        while (end < input.size() && (std::isalnum(static_cast<unsigned char>(input[end])) != 0 || input[end] == '.' || input[end] == '_'))
            ++end;
        return input.replace(at, end - at, word);
    }
    case 5:
        return input.insert(at, word);
    case 6: // cut off
        input.resize(at);
        return input;
    case 7: // a piece of another seed
    {
        const std::string& other = m_seeds[below(m_seeds.size())];
        const std::size_t from = below(other.size() + 1);
        return input.replace(at, length, other.substr(from, below(256)));
    }
    default: // random bytes
        for (std::size_t i = at; i < std::min(input.size(), at + length); ++i)
            input[i] = static_cast<char>(m_random());
        return input;
    }
}

} // namespace prism::fuzz
