#include "core/cost/calibration.h"

#include <algorithm>
#include <cctype>

namespace prism {

const Calibration& calibration()
{
    static const Calibration instance = [] {
        Calibration c;
        c.gpus = {
            {"a100", 0.80, 0.0, 0.0, 150, 0.85, 0.62, 0.50, 3e-6},
            {"h100", 0.70, 0.62, 0.0, 200, 0.87, 0.58, 0.47, 3e-6},
            {"b200", 0.72, 0.62, 0.5, 256, 0.87, 0.55, 0.45, 3e-6},
            {"mi300x", 0.55, 0.45, 0.0, 256, 0.80, 0.40, 0.30, 5e-6},
            {"generic", 0.70, 0.60, 0.5, 200, 0.85, 0.50, 0.40, 4e-6},
        };
        return c;
    }();
    return instance;
}

const GpuCalibration& gpuCalibration(const Calibration& calibration, const GpuSpec& gpu)
{
    const auto lower = [](std::string text) {
        std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return text;
    };
    const std::string name = lower(gpu.preset) + " " + lower(gpu.name);
    const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
    const char* family = "generic";
    if (has("a100") || has("a800"))
        family = "a100";
    else if (has("h100") || has("h200") || has("h800") || has("h20") || has("gh200"))
        family = "h100";
    else if (has("b200") || has("b300") || has("b100"))
        family = "b200";
    else if (has("mi300") || has("mi325") || has("mi35"))
        family = "mi300x";
    for (const GpuCalibration& g : calibration.gpus)
        if (g.family == family)
            return g;
    return calibration.gpus.back();
}

} // namespace prism
