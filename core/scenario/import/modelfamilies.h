// SPDX-License-Identifier: GPL-3.0-or-later
// The families of models that a Hugging Face config.json may describe. Field names and defaults are those of the transformers library's
// configuration classes.
#pragma once

#include <string>
#include <vector>

namespace prism {

class ConfigReader;

/// Names as `model_type` has them.
[[nodiscard]] std::vector<std::string> modelFamilies();
/// Reads the model by the rules of its family; false where the family is not known. Errors and notes are the reader's.
[[nodiscard]] bool readModelFamily(const std::string& type, ConfigReader& reader);

} // namespace prism
