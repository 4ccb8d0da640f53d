// SPDX-License-Identifier: GPL-3.0-or-later
// With PRISM_MUTANT_REACHED=FILE every process appends, as it ends, the numbers of the errors whose place it has executed.
#include "tests/mutation/switch.h"

#include <atomic>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace {

constexpr int kNumbers = 1 << 20;     // run draws the numbers of errors below this
std::atomic<bool>* reached = nullptr; // a child shares it: many a test leaves its child by _exit, which ends without writeReached

void writeReached()
{
    std::string text;
    for (int id = 0; id < kNumbers; ++id)
        if (reached[id].load(std::memory_order_relaxed))
            text += std::to_string(id) + '\n';
    const int file = ::open(std::getenv("PRISM_MUTANT_REACHED"), O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (file < 0 || ::write(file, text.data(), text.size()) < 0)
        std::abort();
    ::close(file);
}

} // namespace

int prismMutantOn = 0;

/// Before the initialisers of other files, which compute numbers too.
__attribute__((constructor(101))) void prismMutantRead()
{
    if (std::getenv("PRISM_MUTANT_REACHED")) {
        void* shared = ::mmap(nullptr, kNumbers * sizeof(*reached), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (shared == MAP_FAILED)
            std::abort();
        reached = static_cast<std::atomic<bool>*>(shared); // all 0: none
        std::atexit(writeReached);
        prismMutantOn = -1;
        return;
    }
    const char* id = std::getenv("PRISM_MUTANT");
    prismMutantOn = id ? std::atoi(id) : 0;
}

bool prismMutantReached(int id)
{
    reached[id].store(true, std::memory_order_relaxed);
    return false;
}
