// SPDX-License-Identifier: GPL-3.0-or-later
// Properties of a linked program: its kind, how it is relocated, what it takes from libraries (elf(5)).
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <set>
#include <string>

namespace prism::test {

class ElfFile final {
public:
    explicit ElfFile(std::string bytes) : m_bytes(std::move(bytes))
    {
        const auto header = at<Elf64_Ehdr>(0);
        m_type = header.e_type;
        for (std::size_t i = 0; i < header.e_phnum; ++i) {
            const auto segment = at<Elf64_Phdr>(header.e_phoff + i * header.e_phentsize);
            m_relro = m_relro || segment.p_type == PT_GNU_RELRO;
            m_interpreted = m_interpreted || segment.p_type == PT_INTERP;
            m_executableStack = m_executableStack || (segment.p_type == PT_GNU_STACK && (segment.p_flags & PF_X) != 0);
        }
        for (std::size_t i = 0; i < header.e_shnum; ++i)
            readSection(header, at<Elf64_Shdr>(header.e_shoff + i * header.e_shentsize));
    }

    [[nodiscard]] bool isPositionIndependentProgram() const { return m_type == ET_DYN && m_interpreted; }
    [[nodiscard]] bool isLibrary() const { return m_type == ET_DYN && !m_interpreted; }
    [[nodiscard]] bool hasFullRelro() const { return m_relro && m_bindsNow; }
    [[nodiscard]] bool hasExecutableStack() const { return m_executableStack; }
    [[nodiscard]] const std::set<std::string>& taken() const { return m_taken; } ///< symbols that libraries give
    [[nodiscard]] const std::set<std::string>& libraries() const { return m_libraries; }

private:
    template <class T>
    [[nodiscard]] T at(std::size_t offset) const
    {
        T value{};
        if (offset <= m_bytes.size() && m_bytes.size() - offset >= sizeof value)
            std::memcpy(&value, m_bytes.data() + offset, sizeof value);
        return value;
    }
    [[nodiscard]] std::string textAt(std::size_t offset) const { return offset < m_bytes.size() ? m_bytes.c_str() + offset : ""; }

    void readSection(const Elf64_Ehdr& header, const Elf64_Shdr& section)
    {
        if (section.sh_type != SHT_DYNSYM && section.sh_type != SHT_DYNAMIC)
            return;
        const auto strings = at<Elf64_Shdr>(header.e_shoff + section.sh_link * header.e_shentsize).sh_offset;
        for (std::size_t offset = section.sh_offset; offset < section.sh_offset + section.sh_size; offset += section.sh_entsize) {
            if (section.sh_type == SHT_DYNSYM) {
                const auto symbol = at<Elf64_Sym>(offset);
                if (symbol.st_shndx == SHN_UNDEF && symbol.st_name != 0)
                    m_taken.insert(textAt(strings + symbol.st_name));
                continue;
            }
            const auto entry = at<Elf64_Dyn>(offset);
            if (entry.d_tag == DT_NEEDED)
                m_libraries.insert(textAt(strings + entry.d_un.d_val));
            m_bindsNow = m_bindsNow || entry.d_tag == DT_BIND_NOW || (entry.d_tag == DT_FLAGS && (entry.d_un.d_val & DF_BIND_NOW) != 0)
                         || (entry.d_tag == DT_FLAGS_1 && (entry.d_un.d_val & DF_1_NOW) != 0);
        }
    }

    std::string m_bytes;
    std::uint16_t m_type = 0;
    bool m_relro = false, m_interpreted = false, m_executableStack = false, m_bindsNow = false;
    std::set<std::string> m_taken, m_libraries;
};

} // namespace prism::test
