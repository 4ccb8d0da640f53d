// SPDX-License-Identifier: GPL-3.0-or-later
// Errors as values: a Result holds either a value or every diagnostic that was found.
#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace prism {

/// How bad a diagnostic is. Only errors stop a computation.
enum class Severity { note, warning, error };

/// One error, warning or note on an input: where it is, what was found, what would be accepted, and (where one
/// exists) a fix that can be applied with one click: the value `fixValue` (JSON text) for the path `fixPath`.
struct Diagnostic {
    Severity severity = Severity::error;
    std::string path;     ///< JSON path ("parallelism.tensor_model_parallel_size"), file:line, or table row
    std::string message;  ///< one sentence for a person
    std::string found;    ///< what was there, as text
    std::string accepted; ///< what would be accepted, as text
    std::string fixPath;  ///< empty when there is no fix
    std::string fixValue; ///< JSON text of the value to set
    bool operator==(const Diagnostic&) const = default;
};

using Diagnostics = std::vector<Diagnostic>;

[[nodiscard]] inline bool hasErrors(const Diagnostics& diagnostics)
{
    for (const Diagnostic& d : diagnostics)
        if (d.severity == Severity::error)
            return true;
    return false;
}

/// Either a value or the diagnostics that kept it from being made. Thread-safe as its contents are.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : m_content(std::move(value)) {}
    Result(Diagnostics errors) : m_content(std::move(errors)) {}
    Result(Diagnostic error) : m_content(Diagnostics{std::move(error)}) {}

    [[nodiscard]] bool ok() const { return std::holds_alternative<T>(m_content); }
    explicit operator bool() const { return ok(); }

    /// The value. Precondition: ok().
    [[nodiscard]] const T& value() const& { return std::get<T>(m_content); }
    [[nodiscard]] T& value() & { return std::get<T>(m_content); }
    [[nodiscard]] T&& value() && { return std::get<T>(std::move(m_content)); }
    const T& operator*() const& { return value(); }
    T& operator*() & { return value(); }
    const T* operator->() const { return &value(); }
    T* operator->() { return &value(); }

    /// The errors; empty when ok(). Of a named result a reference into it; of a passing one the errors themselves, so
    /// that a loop over `f().errors()` has something to be on. Bind `f().errors().front()` by value.
    [[nodiscard]] const Diagnostics& errors() const&
    {
        static const Diagnostics kNone;
        return ok() ? kNone : std::get<Diagnostics>(m_content);
    }
    [[nodiscard]] Diagnostics errors() && { return ok() ? Diagnostics{} : std::get<Diagnostics>(std::move(m_content)); }

private:
    std::variant<T, Diagnostics> m_content;
};

} // namespace prism
