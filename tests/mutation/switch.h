// SPDX-License-Identifier: GPL-3.0-or-later
// Which of the errors that a mutation build carries is switched on: the environment variable PRISM_MUTANT names it, nothing else switches
// one on.
#pragma once

extern int prismMutantOn; ///< 0: none, below 0: none, and what is reached is recorded
bool prismMutantReached(int id);

/// Whether the error `id` is switched on.
inline bool prismMutant(int id)
{
    return prismMutantOn == id || (prismMutantOn < 0 && prismMutantReached(id));
}

/// The same within a constexpr function, which stays right where the compiler evaluates it.
constexpr bool prismMutantConstant(int id)
{
    return !__builtin_is_constant_evaluated() && prismMutant(id);
}
