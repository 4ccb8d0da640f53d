// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/scenario/import/shelltext.h"
#include "core/base/diagnostictext.h"
#include "core/scenario/scenariolimits.h"

#include "core/base/text.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace prism {
namespace {

constexpr std::size_t kMaxWord = 64 * 1024;

struct Word {
    std::string text;
    int line = 1;
};

bool isNameCharacter(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// Splits into words; quotes keep spaces, "#" at a word's start is a comment, a backslash joins lines.
class Splitter final {
public:
    explicit Splitter(std::string_view text) : m_text(text) {}

    Result<std::vector<Word>> words()
    {
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (c == '\\' && m_at + 1 < m_text.size() && (m_text[m_at + 1] == '\n' || m_text[m_at + 1] == '\r')) {
                finish();
                ++m_at;
            } else if (std::isspace(static_cast<unsigned char>(c)) != 0 || c == ';' || c == '(' || c == ')') {
                finish();
                m_line += c == '\n' ? 1 : 0;
                ++m_at;
            } else if (c == '#' && !m_open) {
                m_at = std::min(m_text.find('\n', m_at), m_text.size());
            } else if (c == '"' || c == '\'') {
                if (!quoted(c))
                    return errorAt("line " + std::to_string(m_line), "a quote never ends", std::string(1, c), "the closing quote");
            } else {
                append(c == '\\' && m_at + 1 < m_text.size() ? m_text[++m_at] : c);
                ++m_at;
            }
        }
        finish();
        return std::move(m_words);
    }

private:
    void append(char c)
    {
        if (!m_open) {
            m_open = true;
            m_word = {{}, m_line};
        }
        if (m_word.text.size() < kMaxWord)
            m_word.text += c;
    }
    void finish()
    {
        if (m_open)
            m_words.push_back(std::move(m_word));
        m_open = false;
    }
    bool quoted(char quote)
    {
        if (!m_open) {
            m_open = true;
            m_word = {{}, m_line};
        }
        for (++m_at; m_at < m_text.size() && m_text[m_at] != quote; ++m_at) {
            m_line += m_text[m_at] == '\n' ? 1 : 0;
            const bool joins = m_text[m_at] == '\\' && m_at + 1 < m_text.size() && m_text[m_at + 1] == '\n';
            append(joins ? ' ' : m_text[m_at]);
        }
        return m_at++ < m_text.size();
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    int m_line = 1;
    bool m_open = false;
    Word m_word;
    std::vector<Word> m_words;
};

using Variables = std::map<std::string, std::string, std::less<>>;

/// Replaces $NAME, ${NAME} and ${NAME:-default}; what is not given stays as it is and is listed in `missing`.
std::string expanded(std::string_view text, const Variables& variables, std::set<std::string>& missing)
{
    std::string out;
    for (std::size_t i = 0; i < text.size() && out.size() < kMaxWord;) {
        if (text[i] != '$' || i + 1 >= text.size()) {
            out += text[i++];
            continue;
        }
        const bool braces = text[i + 1] == '{';
        std::size_t end = i + (braces ? 2 : 1);
        const std::size_t start = end;
        while (end < text.size() && isNameCharacter(text[end]))
            ++end;
        const std::string name(text.substr(start, end - start));
        const std::size_t close = braces ? text.find('}', end) : end;
        if (name.empty() || close == std::string_view::npos) {
            out += text[i++];
            continue;
        }
        std::string_view fallback = braces ? text.substr(end, close - end) : std::string_view();
        const bool hasDefault = fallback.starts_with(":-") || fallback.starts_with("-");
        if (hasDefault)
            fallback.remove_prefix(fallback.starts_with(":-") ? 2 : 1);
        const auto it = variables.find(name);
        const std::size_t next = braces ? close + 1 : end;
        if (it != variables.end() && (fallback.empty() || hasDefault))
            out += it->second;
        else if (hasDefault)
            out += fallback;
        else {
            missing.insert(name);
            out += text.substr(i, next - i);
        }
        i = next;
    }
    return out;
}

/// Length of NAME in NAME=value, or 0.
std::size_t assignmentLength(std::string_view word)
{
    if (word.empty() || std::isdigit(static_cast<unsigned char>(word[0])) != 0)
        return 0;
    std::size_t n = 0;
    while (n < word.size() && isNameCharacter(word[n]))
        ++n;
    const bool plus = n + 1 < word.size() && word[n] == '+' && word[n + 1] == '=';
    return n < word.size() && (word[n] == '=' || plus) ? n : 0;
}

class FlagCollector final {
public:
    explicit FlagCollector(ShellFlags& result) : m_result(result) {}

    void take(const Word& word)
    {
        if (const std::size_t n = assignmentLength(word.text); n > 0) {
            const std::string_view value = std::string_view(word.text).substr(word.text.find('=') + 1);
            std::set<std::string> missing;
            const std::string resolved = expanded(value, m_result.variables, missing);
            reportMissing(missing);
            if (resolved.find("--") != std::string::npos) {
                m_lists.insert(word.text.substr(0, n));
                takeAll(resolved, word.line);
            } else if (value.empty()) { // NAME=( arguments ), the parenthesis already read
                m_lists.insert(word.text.substr(0, n));
                m_result.variables[word.text.substr(0, n)] = resolved;
            } else
                m_result.variables[word.text.substr(0, n)] = resolved;
            m_current = nullptr;
            return;
        }
        const bool list = word.text.starts_with("$") || word.text.starts_with("\"$");
        std::set<std::string> missing;
        const std::string text = expanded(word.text, m_result.variables, missing);
        const bool known = !missing.empty() && std::all_of(missing.begin(), missing.end(), [this](const std::string& name) {
            return m_lists.contains(name); // its arguments were taken where it was given
        });
        if (list && !missing.empty() && (known || m_current == nullptr || text.find("[@]") != std::string::npos)) {
            m_current = nullptr;
            return; // a list of arguments that is elsewhere
        }
        reportMissing(missing);
        if (text.find(' ') != std::string::npos && text.find("--") != std::string::npos)
            takeAll(text, word.line);
        else
            takeArgument(text, word.line);
    }

    void finish()
    {
        for (const std::string& name : m_missing)
            m_result.notes.push_back(
                {.severity = Severity::note, .path = "$" + name.substr(0, 80), .message = "the variable is used and not given"});
    }

private:
    void reportMissing(const std::set<std::string>& names)
    {
        for (const std::string& name : names)
            if (!m_lists.contains(name))
                m_missing.insert(name);
    }
    void takeAll(const std::string& text, int line)
    {
        m_current = nullptr;
        std::string piece;
        for (const char c : text + " ") {
            if (std::isspace(static_cast<unsigned char>(c)) == 0) {
                piece += c;
                continue;
            }
            if (!piece.empty())
                takeArgument(piece, line);
            piece.clear();
        }
        m_current = nullptr;
    }
    void takeArgument(const std::string& text, int line)
    {
        if (text.starts_with("--") && text.size() > 2) {
            const std::size_t equals = text.find('=');
            ShellFlag flag{lowered(text.substr(2, equals == std::string::npos ? equals : equals - 2)), {}, line};
            for (char& c : flag.name)
                c = c == '_' ? '-' : c;
            if (equals != std::string::npos)
                flag.values.push_back(text.substr(equals + 1));
            m_result.flags.push_back(std::move(flag));
            m_current = &m_result.flags.back();
        } else if (m_current != nullptr) {
            m_current->values.push_back(text);
        }
    }

    ShellFlags& m_result;
    ShellFlag* m_current = nullptr;
    std::set<std::string> m_missing;
    std::set<std::string> m_lists; ///< variables that hold arguments, taken where they were given
};

} // namespace

Result<ShellFlags> shellFlags(std::string_view text)
{
    if (text.size() > kMaxImportBytes)
        return errorAt("", "the text is too large", std::to_string(text.size()) + " bytes",
                       "at most " + std::to_string(kMaxImportBytes) + " bytes");
    const Result<std::vector<Word>> words = Splitter(text).words();
    if (!words)
        return words.errors();
    ShellFlags result;
    FlagCollector collector(result);
    for (const Word& word : *words)
        collector.take(word);
    collector.finish();
    return result;
}

} // namespace prism
