// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/jsontext.h"

#include "core/base/textfile.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <unordered_set>

namespace prism {

namespace {

constexpr std::size_t kShown = 40;
/// Of one value, of one container and of one key with its place in a container: measured with glibc's malloc, rounded up.
constexpr std::size_t kValueBytes = 32, kContainerBytes = 80, kKeyBytes = 96;

/// Walks the text for the parser. Of a run of white space between two tokens it shows the first character: the parser keeps what it
/// has read since the last token for its error texts, which must not grow with the input. It also knows the place in the text.
class TextWalk final {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    struct Place {
        const char *at, *end;
        bool inString = false, escaped = false;
    };
    explicit TextWalk(Place* place) : m_place(place) {}

    reference operator*() const { return *m_place->at; }
    TextWalk& operator++()
    {
        Place& p = *m_place;
        const char c = *p.at++;
        if (p.inString) {
            p.inString = p.escaped || c != '"';
            p.escaped = !p.escaped && c == '\\';
        } else if (c == '"') {
            p.inString = true;
        } else if (isSpace(c)) {
            while (p.at != p.end && isSpace(*p.at))
                ++p.at;
        }
        return *this;
    }
    void operator++(int) { ++*this; }
    /// For comparison with the end iterator only: both are at the end, or not.
    bool operator==(const TextWalk& other) const { return atEnd() == other.atEnd(); }
    bool operator!=(const TextWalk& other) const { return !(*this == other); }

private:
    static bool isSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
    [[nodiscard]] bool atEnd() const { return m_place == nullptr || m_place->at == m_place->end; }
    Place* m_place;
};

/// Builds a document from parser events on an explicit stack; stops at the first breach of a limit.
template <class Json>
class BoundedBuilder final : public nlohmann::json_sax<Json> {
    using Base = nlohmann::json_sax<Json>;

public:
    explicit BoundedBuilder(const JsonLimits& limits) : m_limits(limits) {}

    bool null() override { return add(Json(nullptr), 0); }
    bool boolean(bool v) override { return add(Json(v), 0); }
    bool number_integer(typename Base::number_integer_t v) override { return add(Json(v), 0); }
    bool number_unsigned(typename Base::number_unsigned_t v) override { return add(Json(v), 0); }
    bool number_float(typename Base::number_float_t v, const std::string& text) override
    {
        return std::isfinite(v) ? add(Json(v), 0) : fail("the number " + text.substr(0, kShown) + " is too large", kNumbers);
    }
    bool string(std::string& v) override
    {
        const std::size_t bytes = sizeof(std::string) + v.capacity();
        return add(Json(std::move(v)), bytes);
    }
    bool binary(typename Base::binary_t& /*bytes*/) override { return fail("binary values are not JSON text"); }
    bool start_object(std::size_t /*items*/) override { return open(Json::object()); }
    bool start_array(std::size_t /*items*/) override { return open(Json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(std::string& v) override
    {
        if (!isNewKey(v))
            return fail("the key \"" + v.substr(0, 80) + "\" occurs twice in one object", "each key once");
        m_key = std::move(v);
        return count(0, kKeyBytes + m_key.size());
    }
    bool parse_error(std::size_t /*place*/, const std::string& token, const nlohmann::json::exception& e) override
    {
        const std::string text = e.what();
        if (e.id == 406)
            return fail("the number " + token.substr(0, kShown) + " is too large", kNumbers);
        constexpr std::string_view kExpected = "; expected ";
        const std::size_t at = text.rfind(kExpected);
        return fail("this is not JSON: unexpected \"" + token.substr(token.size() > kShown ? token.size() - kShown : 0) + "\"",
                    at == std::string::npos ? kText : text.substr(at + kExpected.size(), 200));
    }

    Json document;
    [[nodiscard]] bool failed() const { return !m_message.empty(); }
    [[nodiscard]] const std::string& message() const { return m_message; }
    [[nodiscard]] const std::string& accepted() const { return m_accepted; }

private:
    struct Open {
        Json* container;
        std::unordered_set<std::string> keys; ///< of an object that keeps the order of its keys and cannot find them fast
    };

    static constexpr const char* kText = "JSON text (RFC 8259)";
    static constexpr const char* kNumbers = "numbers that a double holds, up to 1.7e308";

    bool fail(std::string message, std::string accepted = kText)
    {
        if (m_message.empty()) {
            m_message = std::move(message);
            m_accepted = std::move(accepted);
        }
        return false;
    }
    bool tooMuch(const std::string& is, std::size_t limit, const std::string& unit)
    {
        return fail(is + std::to_string(limit) + " " + unit, "at most " + std::to_string(limit) + " " + unit);
    }
    bool isNewKey(const std::string& key)
    {
        if constexpr (std::is_same_v<Json, nlohmann::ordered_json>)
            return m_stack.back().keys.insert(key).second && count(0, kKeyBytes + key.size());
        else
            return !m_stack.back().container->contains(key);
    }
    bool count(std::size_t values, std::size_t bytes)
    {
        m_values += values;
        m_bytes += bytes;
        if (m_values > m_limits.maxValues)
            return tooMuch("more than ", m_limits.maxValues, "values");
        if (m_bytes > m_limits.maxMemory)
            return tooMuch("the values need more than ", m_limits.maxMemory >> 20, "MiB of memory");
        return true;
    }
    Json* place(Json&& value)
    {
        if (m_stack.empty()) {
            document = std::move(value);
            return &document;
        }
        Json& parent = *m_stack.back().container;
        if (parent.is_array()) {
            parent.push_back(std::move(value));
            return &parent.back();
        }
        if constexpr (std::is_same_v<Json, nlohmann::ordered_json>) {
            auto& members = parent.template get_ref<typename Json::object_t&>();
            members.push_back({std::move(m_key), std::move(value)}); // known to be new: no search
            return &members.back().second;
        } else {
            return &(parent[m_key] = std::move(value));
        }
    }
    bool add(Json&& value, std::size_t bytes)
    {
        if (!count(1, kValueBytes + bytes))
            return false;
        place(std::move(value));
        return true;
    }
    bool open(Json&& container)
    {
        if (static_cast<int>(m_stack.size()) >= m_limits.maxDepth)
            return tooMuch("nested deeper than ", static_cast<std::size_t>(m_limits.maxDepth), "levels");
        if (!count(1, kValueBytes + kContainerBytes))
            return false;
        m_stack.push_back({place(std::move(container)), {}});
        return true;
    }
    bool close()
    {
        m_stack.pop_back();
        return true;
    }

    JsonLimits m_limits;
    std::vector<Open> m_stack; ///< open containers; a parent does not move while a child is open
    std::string m_key, m_message, m_accepted;
    std::size_t m_values = 0, m_bytes = 0;
};

std::string lineAndColumn(std::string_view text, std::size_t position)
{
    position = std::min(position, text.size());
    std::size_t line = 1, column = 1;
    for (std::size_t i = 0; i + 1 < position; ++i) {
        column = text[i] == '\n' ? 1 : column + 1;
        line += text[i] == '\n' ? 1 : 0;
    }
    return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

template <class Json>
Result<Json> parsed(std::string_view text, const JsonLimits& limits)
{
    if (text.size() > limits.maxBytes)
        return Diagnostic{.message = "the text is too large",
                          .found = std::to_string(text.size()) + " bytes",
                          .accepted = "at most " + std::to_string(limits.maxBytes) + " bytes"};
    text = withoutByteOrderMark(text);
    BoundedBuilder<Json> builder(limits);
    TextWalk::Place place{text.data(), text.data() + text.size()};
    const bool done = Json::sax_parse(TextWalk(&place), TextWalk(nullptr), &builder);
    if (done && !builder.failed())
        return std::move(builder.document);
    Diagnostic error;
    error.message = builder.failed() ? builder.message() : "this is not JSON";
    error.accepted = builder.accepted();
    error.path = lineAndColumn(text, static_cast<std::size_t>(place.at - text.data()));
    return error;
}

} // namespace

Result<nlohmann::json> parseJson(std::string_view text, const JsonLimits& limits)
{
    return parsed<nlohmann::json>(text, limits);
}

Result<nlohmann::ordered_json> parseOrderedJson(std::string_view text, const JsonLimits& limits)
{
    return parsed<nlohmann::ordered_json>(text, limits);
}

namespace {

/// Behind the string that starts at `at`, or the end.
std::size_t behindString(std::string_view text, std::size_t at)
{
    for (++at; at < text.size() && text[at] != '"'; ++at)
        at += text[at] == '\\' ? 1 : 0;
    return std::min(at + 1, text.size());
}

/// Behind the comment that starts at `at`; `at` itself where none starts or it never ends.
std::size_t behindComment(std::string_view text, std::size_t at)
{
    const std::string_view start = text.substr(at, 2);
    if (start == "//")
        return std::min(text.find('\n', at), text.size());
    if (start != "/*")
        return at;
    const std::size_t end = text.find("*/", at + 2);
    return end == std::string_view::npos ? at : end + 2;
}

} // namespace

std::string withoutJsonComments(std::string_view text)
{
    std::string out(text);
    for (std::size_t at = 0; at < text.size();) {
        if (text[at] == '"') {
            at = behindString(text, at);
            continue;
        }
        const std::size_t end = text[at] == '/' ? behindComment(text, at) : at;
        if (end == at && text.substr(at, 2) == "/*")
            break; // it never ends: looking on would find the same end again for each start
        std::replace_if(
            out.begin() + static_cast<std::ptrdiff_t>(at), out.begin() + static_cast<std::ptrdiff_t>(end), [](char c) { return c != '\n'; },
            ' ');
        at = std::max(end, at + 1);
    }
    return out;
}

} // namespace prism
