// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/structure/sourcetree.h"

#include "prism_paths.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <functional>
#include <regex>
#include <sstream>

namespace structure {

namespace fs = std::filesystem;

namespace {

std::string folderOf(const std::string& unit)
{
    return unit.substr(0, unit.rfind('/'));
}

/// Tarjan's algorithm; one visit per node and arrow.
class Components final {
public:
    explicit Components(const Graph& graph) : m_graph(graph)
    {
        for (const auto& [node, targets] : graph)
            if (!m_index.contains(node))
                visit(node);
    }
    [[nodiscard]] const std::vector<std::vector<std::string>>& found() const { return m_found; }

private:
    int visit(const std::string& node)
    {
        const int index = static_cast<int>(m_index.size());
        int low = m_index[node] = index;
        m_stack.push_back(node);
        if (const auto it = m_graph.find(node); it != m_graph.end())
            for (const std::string& target : it->second) {
                if (const auto known = m_index.find(target); known == m_index.end())
                    low = std::min(low, visit(target));
                else if (std::find(m_stack.begin(), m_stack.end(), target) != m_stack.end())
                    low = std::min(low, known->second);
            }
        if (low == index) {
            const auto first = std::find(m_stack.begin(), m_stack.end(), node);
            m_found.emplace_back(first, m_stack.end());
            m_stack.erase(first, m_stack.end());
        }
        return low;
    }

    const Graph& m_graph;
    std::map<std::string, int> m_index;
    std::vector<std::string> m_stack;
    std::vector<std::vector<std::string>> m_found;
};

} // namespace

std::vector<std::string> sources(const std::string& folder)
{
    std::vector<std::string> files;
    const fs::path root = PRISM_SOURCE_DIR;
    if (!fs::exists(root / folder))
        return files;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
        if (entry.path().extension() == ".h" || entry.path().extension() == ".cpp")
            files.push_back(fs::relative(entry.path(), root).generic_string());
    std::sort(files.begin(), files.end());
    return files;
}

std::string textOf(const std::string& file)
{
    std::ifstream in(fs::path(PRISM_SOURCE_DIR) / file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

std::vector<std::string> literals(const std::string& text)
{
    std::vector<std::string> found;
    const auto after = [&](const std::string& end, std::size_t from) { return std::min(text.find(end, from), text.size()); };
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.compare(i, 2, "//") == 0) {
            i = after("\n", i);
        } else if (text.compare(i, 2, "/*") == 0) {
            i = after("*/", i + 2) + 1;
        } else if (text[i] == '\'' && i > 0 && std::isalnum(static_cast<unsigned char>(text[i - 1])) == 0) { // no separator of digits
            for (++i; i < text.size() && text[i] != '\''; ++i)
                i += text[i] == '\\' ? 1 : 0;
        } else if (text.compare(i, 2, "R\"") == 0) {
            const std::size_t open = after("(", i);
            const std::string end = ")" + text.substr(i + 2, open - i - 2) + "\"";
            const std::size_t close = after(end, open);
            found.push_back(text.substr(open + 1, close - open - 1));
            i = close + end.size() - 1;
        } else if (text[i] == '"') {
            const std::size_t start = ++i;
            for (; i < text.size() && text[i] != '"'; ++i)
                i += text[i] == '\\' ? 1 : 0;
            found.push_back(text.substr(start, i - start));
        }
    }
    return found;
}

std::string firstLine(const std::string& file)
{
    const std::string text = textOf(file);
    return text.substr(0, text.find('\n'));
}

std::vector<std::string> includes(const std::string& file)
{
    static const std::regex pattern(R"re(^\s*#\s*include\s*[<"]([^">]+)[">])re");
    std::vector<std::string> found;
    std::istringstream in(textOf(file));
    for (std::string line; std::getline(in, line);) {
        std::smatch match;
        if (line.find('#') != std::string::npos && std::regex_search(line, match, pattern))
            found.push_back(match[1]);
    }
    return found;
}

std::string unitOf(const std::string& file)
{
    return file.substr(0, file.rfind('.'));
}

Graph unitGraph(const std::string& folder)
{
    const std::vector<std::string> files = sources(folder);
    const std::set<std::string> known(files.begin(), files.end());
    Graph graph;
    for (const std::string& file : files)
        for (const std::string& name : includes(file))
            if (known.contains(name) && unitOf(name) != unitOf(file))
                graph[unitOf(file)].insert(unitOf(name));
    return graph;
}

Graph folderGraph(const std::string& folder)
{
    Graph graph;
    for (const auto& [unit, targets] : unitGraph(folder))
        for (const std::string& target : targets)
            if (folderOf(unit) != folderOf(target))
                graph[folderOf(unit)].insert(folderOf(target));
    return graph;
}

std::vector<std::string> circles(const Graph& graph)
{
    std::vector<std::string> found;
    const Components components(graph);
    for (std::vector<std::string> component : components.found()) {
        if (component.size() < 2)
            continue;
        std::sort(component.begin(), component.end());
        std::string text;
        for (const std::string& node : component)
            text += (text.empty() ? "" : " ") + node;
        found.push_back(text);
    }
    return found;
}

std::vector<TypeDefinition> typesIn(const std::string& text, const std::string& file)
{
    // The formatter writes every definition of a namespace at the start of its line and every namespace's end as a comment.
    static const std::regex opens(R"re(^namespace(?:\s+([\w:]+))?\s*\{)re"), closes(R"re(^\} // namespace)re");
    static const std::regex type(
        R"re(^(?:struct|class|enum class|enum)\s+(?:alignas\([^)]*\)\s+)?(\w+)(?:\s+final)?\s*(?::(?!:)[^;]*)?(?:\{.*)?$)re");
    std::vector<TypeDefinition> found;
    std::vector<std::string> scopes;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        if (line.empty() || std::string_view("nsce}").find(line.front()) == std::string_view::npos)
            continue; // spares the regular expressions the other lines
        std::smatch match;
        if (std::regex_search(line, match, opens))
            scopes.push_back(match[1]);
        else if (std::regex_search(line, closes) && !scopes.empty())
            scopes.pop_back();
        else if (!scopes.empty() && std::find(scopes.begin(), scopes.end(), "") == scopes.end() && std::regex_search(line, match, type)) {
            std::string name;
            for (const std::string& scope : scopes)
                name += scope + "::";
            found.push_back({name + match[1].str(), file});
        }
    }
    return found;
}

std::vector<std::string> twins(const std::string& folder)
{
    std::map<std::string, std::set<std::string>> places;
    for (const std::string& file : sources(folder))
        for (const TypeDefinition& type : typesIn(textOf(file), file))
            places[type.name].insert(file);
    std::vector<std::string> found;
    for (const auto& [name, files] : places) {
        if (files.size() < 2)
            continue;
        std::string text = name + ":";
        for (const std::string& file : files)
            text += " " + file;
        found.push_back(text);
    }
    return found;
}

} // namespace structure
