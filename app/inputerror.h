// SPDX-License-Identifier: GPL-3.0-or-later
// How a program leaves a command, or a call from Python, whose input is wrong: an exception inside of the program that carries the
// library's errors to the one place that shows them. It never crosses into the library.
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
    /// In which their places are, as it was named; empty where the places say it.
    [[nodiscard]] const std::string& file() const { return m_file; }
    [[nodiscard]] const char* what() const noexcept override { return "the input is wrong"; }

private:
    Diagnostics m_diagnostics;
    std::string m_file;
};

/// The value of a result, or InputError with its diagnostics, which say what is wrong in `file`. Any thread; in Python with or without the
/// GIL.
template <class T>
T require(Result<T> result, const std::string& file = {})
{
    if (!result.ok())
        throw InputError(result.errors(), file);
    return std::move(result).value();
}

} // namespace prism
