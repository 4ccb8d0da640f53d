// SPDX-License-Identifier: GPL-3.0-or-later
// Numbers as text on screen: three significant digits, SI time, decimal bandwidth, IEC memory, a true minus sign.
#pragma once

#include <QString>

#include <cstdint>

namespace prism::ui::format {

/// A number and its unit, for places that draw them in different weights.
struct Quantity {
    QString number, unit;
    [[nodiscard]] QString text() const { return unit.isEmpty() ? number : number + QLatin1Char(' ') + unit; }
};

/// "9.00", "10.1", "102", "12,300"; "–" when not finite. `digits` significant digits (1 to 15).
[[nodiscard]] QString number(double value, int digits = 3);
/// "+4.10" / "−4.10"; zero has no sign.
[[nodiscard]] QString signedNumber(double value, int digits = 3);
/// Fixed decimals with thousands separators and a true minus.
[[nodiscard]] QString fixed(double value, int decimals);
/// "16,384"
[[nodiscard]] QString count(std::int64_t value);

/// "9.00 s", "142 ms", "3.21 µs", "12.0 ns".
[[nodiscard]] Quantity seconds(double seconds);
/// "+236 ms", "−74 ms", "−9.1 ms": two significant digits, whole units from 100.
[[nodiscard]] QString secondsDelta(double seconds);
/// "± 3 ms", "± 19 ms": half-width of an interval.
[[nodiscard]] QString interval(double halfWidthSeconds);
/// "−14 to +7 %": the model's own error band, of two shares.
[[nodiscard]] QString band(double low, double high);
/// "± 0.4" in the unit of the value next to it.
[[nodiscard]] QString plainInterval(double halfWidth);
/// Seconds as the unit that axis ticks share: factor to multiply with, and the unit's name.
struct TimeUnit {
    double perSecond = 1;
    QString name;
};
[[nodiscard]] TimeUnit timeUnit(double largestSeconds);
/// Unit and decimals that the changes of one column share, by the largest of them.
struct DeltaScale {
    TimeUnit unit;
    int decimals = 0;
};
[[nodiscard]] DeltaScale deltaScale(double largestSeconds);
/// "−142 ms" and "−3 ms" in one column; what rounds to nothing is "0 ms".
[[nodiscard]] QString secondsDelta(double seconds, const DeltaScale& scale);
/// "± 3 ms", "± < 1 ms" where it would round to nothing.
[[nodiscard]] QString interval(double halfWidthSeconds, const DeltaScale& scale);

/// "5.0 %", "85.7 %", "< 0.1 %"; of a share in [0, 1].
[[nodiscard]] QString percent(double share);
/// "+4.1 %", "−1.6 %"; "12.3×" of what became ten times as much or more
[[nodiscard]] QString percentDelta(double share);
/// "+4.4 points" of two shares
[[nodiscard]] QString pointsDelta(double share);
/// "1.06×"
[[nodiscard]] QString factor(double value);

/// "61.6 GiB", "512 MiB"
[[nodiscard]] Quantity bytes(double bytes);
[[nodiscard]] Quantity gib(double gib);
/// "900 GB/s", "1.20 TB/s"
[[nodiscard]] Quantity bandwidth(double bytesPerSecond);
/// "1.86 M", "15.6 T"
[[nodiscard]] Quantity si(double value);
/// "97.1 d", "12.3 h"
[[nodiscard]] Quantity days(double days);
/// "76.3 M$", "1.20 k$"
[[nodiscard]] Quantity dollars(double usd);
/// "49.5 GWh", "12.3 MWh"
[[nodiscard]] Quantity energy(double mwh);
/// Of CO₂: "23.8 kt", "5.90 t"
[[nodiscard]] Quantity tonnes(double tonnes);

/// A kernel class for people: "dp.all_gather" is "DP AllGather", "gemm.qkv" is "QKV GEMM"; unknown names stay as they are.
[[nodiscard]] QString kernelClass(const QString& name);

/// A sentence of the core as it reads on screen: "TP 8 x PP 4" is "TP 8 × PP 4", a batch of 4096 is 4,096; names of nodes stay.
[[nodiscard]] QString sentence(const QString& text);
/// A whole number among words with its separators ("16384" is "16,384"); other text as it is.
[[nodiscard]] QString wholeNumber(const QString& text);

/// A cell of a table for people: four significant digits and separators instead of round-trip digits; other text as it is.
[[nodiscard]] QString tableCell(const QString& raw);
/// "p50_half_width_s" is "p50 half-width [s]"; headers in words stay.
[[nodiscard]] QString tableHeader(const QString& raw);

/// "n = 10,000 steps, seed 7": the start of every footer.
[[nodiscard]] QString samplesAndSeed(std::int64_t samples, std::uint64_t seed, const QString& what);

} // namespace prism::ui::format
