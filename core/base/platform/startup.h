// SPDX-License-Identifier: GPL-3.0-or-later
// What a program puts right about itself before anything else.
#pragma once

#include <functional>

namespace prism {

/// Call first in main, before there are threads. Standard descriptors that the caller closed are taken, so that no file of ours gets their
/// numbers and what is printed does not go into a study or its lock; reading and printing there keep failing. A file that may not grow any
/// further (ulimit -f) is an error of the write that hits the limit, as a full disk is, and no signal that ends the program. Threads get
/// stacks of 8 MiB where the caller gave less; the first thread only up to the hard limit.
void prepareProcess();

/// Runs the program's work and gives its exit code: on the calling thread, or on a new thread with enough stack where a small stack was
/// given that cannot be raised (ulimit -s 64). `body` throws nothing.
int withEnoughStack(const std::function<int()>& body);

} // namespace prism
