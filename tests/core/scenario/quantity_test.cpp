// SPDX-License-Identifier: GPL-3.0-or-later
// Quantities as people type them: the factor of every unit by its definition, exponents, grouped digits, ranges.
#include "core/scenario/quantity.h"

#include <gtest/gtest.h>

#include <map>

namespace prism {
namespace {

TEST(Quantity, EveryUnitByItsDefinition)
{
    constexpr double kGiB = 1073741824;
    const std::map<std::string, std::map<std::string, double>> families{
        {"GB/s",
         {{"B/s", 1e-9},
          {"kB/s", 1e-6},
          {"MB/s", 1e-3},
          {"GB/s", 1},
          {"TB/s", 1e3},
          {"MiB/s", 1048576 / 1e9},
          {"GiB/s", kGiB / 1e9},
          {"TiB/s", 1024 * kGiB / 1e9},
          {"Mb/s", 0.000125},
          {"Gb/s", 0.125},
          {"Tb/s", 125},
          {"Mbit/s", 0.000125},
          {"Gbit/s", 0.125},
          {"Tbit/s", 125},
          {"Gbps", 0.125}}},
        {"us", {{"ns", 1e-3}, {"us", 1}, {"µs", 1}, {"μs", 1}, {"ms", 1e3}, {"s", 1e6}}},
        {"s", {{"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}}},
        {"days", {{"s", 1.0 / 86400}, {"min", 1.0 / 1440}, {"h", 1.0 / 24}, {"d", 1}, {"day", 1}, {"weeks", 7}, {"week", 7}}},
        {"bytes", {{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"KiB", 1024}, {"MiB", 1048576}, {"GiB", kGiB}}},
        {"GiB", {{"MiB", 1.0 / 1024}, {"GiB", 1}, {"TiB", 1024}, {"MB", 1e6 / kGiB}, {"GB", 1e9 / kGiB}, {"TB", 1e12 / kGiB}}},
        {"MiB", {{"KiB", 1.0 / 1024}, {"MiB", 1}, {"GiB", 1024}, {"MB", 1e6 / 1048576}}},
        {"TFLOP/s", {{"GFLOP/s", 1e-3}, {"TFLOP/s", 1}, {"PFLOP/s", 1e3}, {"GFLOPS", 1e-3}, {"TFLOPS", 1}, {"PFLOPS", 1e3}}},
        {"MHz", {{"kHz", 1e-3}, {"MHz", 1}, {"GHz", 1e3}}},
        {"tokens",
         {{"k", 1e3}, {"K", 1e3}, {"Ki", 1024}, {"M", 1e6}, {"Mi", 1048576}, {"B", 1e9}, {"G", 1e9}, {"T", 1e12}, {"M tokens", 1e6}}},
        {"", {{"%", 0.01}, {"k", 1e3}, {"T", 1e12}}}};
    for (const auto& [unit, names] : families)
        for (const auto& [name, factor] : names)
            for (const char* blank : {"", " "}) {
                const Result<double> value = quantityFromText("2.5" + std::string(blank) + name, unit, false);
                ASSERT_TRUE(value.ok()) << name << " for " << unit;
                EXPECT_NEAR(*value, 2.5 * factor, 1e-12 * factor) << name << " for " << unit;
            }
    const std::map<std::string, double> binary{{"k", 1024}, {"K", 1024}, {"M", 1048576}, {"Ki", 1024}, {"G", 1e9}};
    for (const auto& [name, factor] : binary)
        EXPECT_EQ(quantityFromText("4" + name, "tokens", true).value(), 4 * factor) << name;
    EXPECT_FALSE(quantityFromText("4 k", "x", false).ok());
    EXPECT_FALSE(quantityFromText("4 MHz", "GB/s", false).ok());
}

TEST(Quantity, NumbersByHand)
{
    const std::pair<const char*, double> known[] = {
        {"1e3", 1000},          {"1E+3", 1000},      {"1.5e-3", 0.0015}, {"16,384", 16384}, {"16_384", 16384},
        {"1,234,567", 1234567}, {"1,234.5", 1234.5}, {"-2", -2},         {"+2", 2},         {".5", 0.5}};
    for (const auto& [text, value] : known)
        EXPECT_EQ(quantityFromText(text, "GB/s", false).value(), value) << text;
    EXPECT_EQ(quantityFromText("1e3 MB/s", "GB/s", false).value(), 1);
    for (const char* text : {"1,23", "1,2345", ",123", "1,234,56", "", "e3", "x", "1e400", "1e308 TB/s"})
        EXPECT_FALSE(quantityFromText(text, "GB/s", false).ok()) << text;
    EXPECT_FALSE(quantityFromText("1e", "GB/s", false).ok());
    const std::pair<const char*, const char*> ranges[] = {{"40 to 60 GB/s", "50"},       {"40 - 70", "55"}, {"1..2 TB/s", "1500"},
                                                          {"400 Gb/s to 60 GB/s", "55"}, {"10 … 20", "15"}, {"1 – 2", "1.5"}};
    for (const auto& [text, middle] : ranges) {
        const Diagnostic error = quantityFromText(text, "GB/s", false).errors().front();
        EXPECT_EQ(error.fixValue, middle) << text;
        EXPECT_EQ(error.message, "This is a range, and a field takes one value") << text;
    }
}

} // namespace
} // namespace prism
