#include "core/base/jsontext.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace prism {
namespace {

using nlohmann::json;

/// Builds a document from parser events on an explicit stack; stops at the first breach of a limit.
class BoundedBuilder final : public nlohmann::json_sax<json> {
public:
    explicit BoundedBuilder(const JsonLimits& limits) : m_limits(limits) {}

    bool null() override { return add(json(nullptr)); }
    bool boolean(bool v) override { return add(json(v)); }
    bool number_integer(number_integer_t v) override { return add(json(v)); }
    bool number_unsigned(number_unsigned_t v) override { return add(json(v)); }
    bool number_float(number_float_t v, const string_t& text) override
    {
        return std::isfinite(v) ? add(json(v)) : fail("the number " + text.substr(0, 40) + " is too large");
    }
    bool string(string_t& v) override { return add(json(std::move(v))); }
    bool binary(binary_t&) override { return fail("binary values are not JSON text"); }
    bool start_object(std::size_t) override { return open(json::object()); }
    bool start_array(std::size_t) override { return open(json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t& v) override
    {
        if (m_stack.back()->contains(v))
            return fail("the key \"" + v.substr(0, 80) + "\" stands twice in one object");
        m_key = std::move(v);
        return true;
    }
    bool parse_error(std::size_t position, const std::string& token, const json::exception& e) override
    {
        m_position = position;
        std::string text = e.what();
        if (const std::size_t at = text.rfind("; "); at != std::string::npos && text.find("expected", at) != std::string::npos)
            m_accepted = text.substr(at + 2);
        const bool range = e.id == 406;
        return fail(range ? "the number " + token.substr(0, 40) + " is too large"
                          : "this is not JSON: unexpected \"" + token.substr(token.size() > 40 ? token.size() - 40 : 0) + "\"");
    }

    json document;
    [[nodiscard]] bool failed() const { return !m_message.empty(); }
    [[nodiscard]] const std::string& message() const { return m_message; }
    [[nodiscard]] const std::string& accepted() const { return m_accepted; }
    [[nodiscard]] std::size_t position() const { return m_position; }

private:
    bool fail(std::string message)
    {
        if (m_message.empty())
            m_message = std::move(message);
        return false;
    }
    json* place(json&& value)
    {
        if (m_stack.empty()) {
            document = std::move(value);
            return &document;
        }
        json& parent = *m_stack.back();
        if (parent.is_array()) {
            parent.push_back(std::move(value));
            return &parent.back();
        }
        return &(parent[m_key] = std::move(value));
    }
    bool add(json&& value)
    {
        if (++m_values > m_limits.maxValues)
            return fail("more than " + std::to_string(m_limits.maxValues) + " values");
        place(std::move(value));
        return true;
    }
    bool open(json&& container)
    {
        if (static_cast<int>(m_stack.size()) >= m_limits.maxDepth)
            return fail("nested deeper than " + std::to_string(m_limits.maxDepth) + " levels");
        if (++m_values > m_limits.maxValues)
            return fail("more than " + std::to_string(m_limits.maxValues) + " values");
        m_stack.push_back(place(std::move(container)));
        return true;
    }
    bool close()
    {
        m_stack.pop_back();
        return true;
    }

    JsonLimits m_limits;
    std::vector<json*> m_stack; ///< open containers; a parent does not move while a child is open
    std::string m_key, m_message, m_accepted;
    std::size_t m_position = 0, m_values = 0;
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

} // namespace

Result<nlohmann::json> parseJson(std::string_view text, const JsonLimits& limits)
{
    if (text.size() > limits.maxBytes)
        return Diagnostic{.message = "the text is too large",
                          .found = std::to_string(text.size()) + " bytes",
                          .accepted = "at most " + std::to_string(limits.maxBytes) + " bytes"};
    BoundedBuilder builder(limits);
    const bool done = json::sax_parse(text.begin(), text.end(), &builder);
    if (done && !builder.failed())
        return std::move(builder.document);
    Diagnostic error;
    error.message = builder.failed() ? builder.message() : "this is not JSON";
    error.accepted = builder.accepted();
    if (builder.position() > 0)
        error.path = lineAndColumn(text, builder.position());
    return error;
}

} // namespace prism
