// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/look/change.h"
#include "ui/look/choice.h"
#include "ui/look/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace prism::ui;
using namespace Qt::StringLiterals;

namespace {

TEST(Format, ShowsThreeSignificantDigits)
{
    EXPECT_EQ(format::number(9), u"9.00"_s);
    EXPECT_EQ(format::number(10.06), u"10.1"_s);
    EXPECT_EQ(format::number(101.7), u"102"_s);
    EXPECT_EQ(format::number(12345), u"12,300"_s);
    EXPECT_EQ(format::number(9.999), u"10.0"_s);
    EXPECT_EQ(format::number(0.012345), u"0.0123"_s);
    EXPECT_EQ(format::number(0), u"0.00"_s);
    EXPECT_EQ(format::number(-0.5), u"−0.500"_s);
    EXPECT_EQ(format::count(16384), u"16,384"_s);
    EXPECT_EQ(format::count(-1234567), u"−1,234,567"_s);
}

TEST(Format, GivesTimeItsSiUnit)
{
    EXPECT_EQ(format::seconds(9.3).text(), u"9.30 s"_s);
    EXPECT_EQ(format::seconds(0.142).text(), u"142 ms"_s);
    EXPECT_EQ(format::seconds(3.21e-6).text(), u"3.21 µs"_s);
    EXPECT_EQ(format::seconds(12e-9).text(), u"12.0 ns"_s);
    EXPECT_EQ(format::seconds(0.9999).text(), u"1.00 s"_s);
    EXPECT_EQ(format::seconds(0).text(), u"0.00 s"_s);
}

TEST(Format, GivesDeltasASignAndATrueMinus)
{
    EXPECT_EQ(format::secondsDelta(0.236), u"+236 ms"_s);
    EXPECT_EQ(format::secondsDelta(-0.074), u"−74 ms"_s);
    EXPECT_EQ(format::secondsDelta(0), u"0 s"_s);
    EXPECT_EQ(format::percentDelta(0.041), u"+4.1 %"_s);
    EXPECT_EQ(format::percentDelta(-0.016), u"−1.6 %"_s);
    EXPECT_EQ(format::percentDelta(-0.0001), u"0.0 %"_s);
    EXPECT_EQ(format::percentDelta(8.9), u"+890.0 %"_s);
    EXPECT_EQ(format::percentDelta(1504.21), u"1,510×"_s); // not "+150,421 %"
    EXPECT_EQ(format::pointsDelta(0.044), u"+4.4 points"_s);
    EXPECT_EQ(format::comparedSeconds(1.32, 1.268), u"1.32 s (+4.1 %, +52 ms)"_s);
}

TEST(Format, AChoiceIsNeverBlank)
{
    EXPECT_EQ(format::choice(u"1f1b"_s), u"1F1B"_s);
    EXPECT_EQ(format::choice(u"rail_optimized"_s), u"Rail optimized"_s);
    EXPECT_EQ(format::choice(u"flash3"_s), u"FlashAttention 3"_s);
    EXPECT_EQ(format::choice(u"cudnn"_s), u"cuDNN"_s);
    EXPECT_EQ(format::choice(u"h100-sxm-80gb"_s), u"h100-sxm-80gb"_s);
    EXPECT_EQ(format::choice(QString()), u"Own values"_s); // no preset has them
}

TEST(Format, GivesChangesTheDigitsThatTheyEarn)
{
    EXPECT_EQ(format::timeChange({-0.1423, 0.003}), u"−142 ms"_s);
    EXPECT_EQ(format::timeChange({0.0523, 0.0004}), u"+52 ms"_s);
    EXPECT_EQ(format::timeChange({0.00523, 0.002}), u"+5 ms"_s); // the tenths are not earned
    EXPECT_EQ(format::percentChange({0.041, 0.001}), u"+4.1 %"_s);
    EXPECT_EQ(format::percentChange({-0.0002, 0.00012}), u"−0.02 %"_s); // not "0.0 %"
    EXPECT_EQ(format::percentChange({-0.0002, 0.00003}), u"−0.020 %"_s);
    EXPECT_EQ(format::comparedSeconds(1.32, 1.268, 0.001), u"1.32 s (+4.1 %, +52 ms)"_s);
    EXPECT_EQ(format::comparedSeconds(10.002, 10, 0.0005), u"10.0 s (+0.020 %, +2.0 ms)"_s);
}

TEST(Format, KeepsAMetricAndItsIntervalInOneUnit)
{
    EXPECT_EQ(format::intervalNextTo(8.86, 0.004), u"± 4 ms"_s); // seconds are long for what they vary by
    EXPECT_EQ(format::intervalNextTo(0.399, 0.00014), u"± 0.1 ms"_s);
    EXPECT_EQ(format::intervalNextTo(-0.145, 0.00072), u"± 0.7 ms"_s);
    EXPECT_EQ(format::intervalNextTo(3e-6, 0.002), u"± 2 ms"_s) << "an interval that is the larger one has its own";
    EXPECT_EQ(format::intervalNextTo(0, 0.00012), u"± 120 µs"_s);
}

TEST(Format, ReportsInWordsThatNoDifferenceWasFound)
{
    const QString none = u"no difference found"_s;
    EXPECT_EQ(format::timeChange({-0.003, 0.004}), none);
    EXPECT_EQ(format::timeChange({0, 0}), none);
    EXPECT_EQ(format::percentChange({0.01, 0.02}), none);
    EXPECT_EQ(format::timeChange({std::numeric_limits<double>::quiet_NaN(), 0}), none);
    // What sums leave in floating point: 1.5 ns of 10 s.
    EXPECT_EQ(format::comparedSeconds(10 - 1.5e-9, 10), u"10.0 s (no difference found)"_s);
    EXPECT_EQ(format::interval(0.00002, format::deltaScale(0.015)), u"± < 0.1 ms"_s);
    EXPECT_EQ(format::interval(0, format::deltaScale(0.015)), u"± 0 ms"_s) << "of what is exact";
}

TEST(Format, GivesIntervalsTheDigitsThatTheyEarn)
{
    EXPECT_EQ(format::interval(0.003), u"± 3 ms"_s);
    EXPECT_EQ(format::interval(0.019), u"± 19 ms"_s);
    EXPECT_EQ(format::plainInterval(0.4), u"± 0.4"_s);
    EXPECT_EQ(format::plainInterval(0.003), u"± 0.003"_s);
}

TEST(Format, KeepsUnitsOfTheField)
{
    EXPECT_EQ(format::bandwidth(900e9).text(), u"900 GB/s"_s);
    EXPECT_EQ(format::bandwidth(1.2e12).text(), u"1.20 TB/s"_s);
    EXPECT_EQ(format::bytes(512.0 * 1024 * 1024).text(), u"512 MiB"_s);
    EXPECT_EQ(format::gib(61.6).text(), u"61.6 GiB"_s);
    EXPECT_EQ(format::si(1.86e6).text(), u"1.86 M"_s);
    EXPECT_EQ(format::factor(1.06), u"1.06×"_s);
    EXPECT_EQ(format::dollars(76.3e6).text(), u"76.3 M$"_s);
    EXPECT_EQ(format::percent(0.05), u"5.0 %"_s);
    EXPECT_EQ(format::percent(0.0004), u"< 0.1 %"_s);
    EXPECT_EQ(format::percent(0.9995), u"> 99.9 %"_s);
    EXPECT_EQ(format::percent(0), u"0.0 %"_s);
    EXPECT_EQ(format::percent(1.25), u"125.0 %"_s);
    EXPECT_EQ(format::energy(49'500).text(), u"49.5 GWh"_s);
    EXPECT_EQ(format::energy(12.3).text(), u"12.3 MWh"_s);
    EXPECT_EQ(format::tonnes(5.9).text(), u"5.90 t"_s);
}

TEST(Format, NamesKernelClassesForPeople)
{
    EXPECT_EQ(format::kernelClass(u"dp.all_gather"_s), u"DP AllGather"_s);
    EXPECT_EQ(format::kernelClass(u"gemm.qkv"_s), u"QKV GEMM"_s);
    EXPECT_EQ(format::kernelClass(u"attention"_s), u"Attention"_s);
    EXPECT_EQ(format::kernelClass(u"grad_norm.all_reduce"_s), u"Gradient norm AllReduce"_s);
    EXPECT_EQ(format::kernelClass(u"my_kernel"_s), u"My kernel"_s);
    EXPECT_EQ(format::kernelClass({}), QString());
}

TEST(Format, NamesWhatIsMissing)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(format::number(nan), u"–"_s);
    EXPECT_EQ(format::seconds(std::numeric_limits<double>::infinity()).number, u"–"_s);
    EXPECT_EQ(format::percent(nan), u"–"_s);
    EXPECT_EQ(format::secondsDelta(nan), u"–"_s);
}

TEST(Format, ChangesOfOneColumnShareUnitAndDecimals)
{
    const format::DeltaScale scale = format::deltaScale(-0.142);
    EXPECT_EQ(format::secondsDelta(-0.142, scale), u"−142 ms"_s);
    EXPECT_EQ(format::secondsDelta(0.0031, scale), u"+3 ms"_s);
    EXPECT_EQ(format::secondsDelta(-2.9e-6, scale), u"0 ms"_s);
    EXPECT_EQ(format::interval(0.0004, format::deltaScale(0.0052)), u"± 0.40 ms"_s);
}

TEST(Format, SentencesHaveTheirTimesSign)
{
    EXPECT_EQ(format::sentence(u"TP 8 x PP 4 x CP 1 = 32, GPUs = 48"_s), u"TP 8 × PP 4 × CP 1 = 32, GPUs = 48"_s);
    EXPECT_EQ(format::sentence(u"a multiple of 4096. At most 1048576 (16384 GPUs)"_s),
              u"a multiple of 4,096. At most 1,048,576 (16,384 GPUs)"_s);
    for (const QString& stays :
         {u"node 2048"_s, u"2026-01-31"_s, u"arXiv 1910.02054"_s, u"1,048,576"_s, u"99999999999999999999"_s, u"x1234"_s})
        EXPECT_EQ(format::sentence(stays), stays);
    EXPECT_EQ(format::sentence(u"an axis"_s), u"an axis"_s);
    EXPECT_EQ(format::wholeNumber(u"16384"_s), u"16,384"_s);
    EXPECT_EQ(format::wholeNumber(u"bf16"_s), u"bf16"_s);
}

} // namespace
