// SPDX-License-Identifier: GPL-3.0-or-later
// The exception by which a program ends a command, or a call from Python, with invalid input: it carries the
// library's errors to the only place that shows them. It never crosses into the library.
#pragma once

#include "core/base/result.h"

#include <exception>
#include <utility>

namespace prism {

/// Everything that is wrong with an input. Caught where the program begins (prism-cli: exit code 1; Python: prism.Error).
class InputError final : public std::exception {
public:
    explicit InputError(Diagnostics diagnostics, std::string file = {}) : m_diagnostics(std::move(diagnostics)), m_file(std::move(file)) {}
    [[nodiscard]] const Diagnostics& diagnostics() const { return m_diagnostics; }
    /// The file that the diagnostics are of, as it was named; empty where their places name it.
    [[nodiscard]] const std::string& file() const { return m_file; }
    [[nodiscard]] const char* what() const noexcept override { return "the input is wrong"; }

private:
    Diagnostics m_diagnostics;
    std::string m_file;
};

/// The value of a result, or InputError with its diagnostics, which are of `file`. Any thread; in Python with or without the
/// GIL.
template <class T>
T require(Result<T> result, const std::string& file = {})
{
    if (!result.ok())
        throw InputError(result.errors(), file);
    return std::move(result).value();
}

} // namespace prism
