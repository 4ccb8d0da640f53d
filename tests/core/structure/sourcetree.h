// SPDX-License-Identifier: GPL-3.0-or-later
// The sources as text: which file includes which, and which types a file defines. Cheap deliberately: a look at lines, no parser.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace structure {

/// Every .h and .cpp below `folder` of the checkout, as paths from its root with forward slashes.
[[nodiscard]] std::vector<std::string> sources(const std::string& folder);
/// A file of the checkout.
[[nodiscard]] std::string textOf(const std::string& file);
/// What is between the quotes of every string literal of a C++ text, comments and characters aside.
[[nodiscard]] std::vector<std::string> literals(const std::string& text);
/// The first line of a file of the checkout.
[[nodiscard]] std::string firstLine(const std::string& file);
/// Names in #include lines of a file.
[[nodiscard]] std::vector<std::string> includes(const std::string& file);

/// "core/stats/fit" of "core/stats/fit.h": a header and its source are one unit.
[[nodiscard]] std::string unitOf(const std::string& file);
using Graph = std::map<std::string, std::set<std::string>>;
/// Which unit includes which, among the units below `folder`.
[[nodiscard]] Graph unitGraph(const std::string& folder);
/// The same between folders.
[[nodiscard]] Graph folderGraph(const std::string& folder);
/// Sets of nodes that reach each other (Tarjan 1972), those with more than one node, each sorted and joined by blanks.
[[nodiscard]] std::vector<std::string> circles(const Graph& graph);

/// A struct, class or enum that a file defines at namespace level: "prism::Moments". Those in unnamed namespaces are omitted.
struct TypeDefinition {
    std::string name, file;
};
[[nodiscard]] std::vector<TypeDefinition> typesIn(const std::string& text, const std::string& file);
/// Of all files below `folder`: names that more than one file defines, "name: file file".
[[nodiscard]] std::vector<std::string> twins(const std::string& folder);

} // namespace structure
