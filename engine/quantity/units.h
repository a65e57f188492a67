// Units used across the engine. GiB is 2^30 bytes, GB 10^9; a month is 730 hours, as cloud price pages count it.
#pragma once

namespace rigsizer {

inline constexpr double kGib = 1024.0 * 1024.0 * 1024.0;
inline constexpr double kMib = 1024.0 * 1024.0;
inline constexpr double kGb = 1e9;
inline constexpr double kHoursPerMonth = 730.0;

}  // namespace rigsizer
