// libgps behind one flat record. `struct gps_data_t` is 24 KiB and changes with every
// GPSD_API_MAJOR_VERSION, so it stays in C.
#ifndef HOMEWARD_CGPS_H
#define HOMEWARD_CGPS_H

#include <gps.h>
#include <stdlib.h>

#pragma clang assume_nonnull begin

/// What a TPV report says. A field that the report does not hold is NaN; `mode` is 0 to 3 as gpsd
/// gives it, or whatever else it gave.
typedef struct {
  int mode;
  int64_t time_seconds;  ///< UTC; 0 when the receiver has no time yet.
  int64_t time_nanoseconds;
  double latitude, longitude;                ///< degrees
  double altitude_msl;                       ///< metres above mean sea level
  double speed;                              ///< metres per second over ground
  double climb;                              ///< metres per second upward
  double track;                              ///< degrees from true north
  double horizontal_error, vertical_error;  ///< metres (eph, epv)
  double east_error, north_error;           ///< metres (epx, epy)
  double ellipsoid_height;                  ///< metres (altHAE)
  double earth_x, earth_y, earth_z;         ///< metres (ECEF)
} cgps_fix;

/// libgps's working memory; made once.
static inline struct gps_data_t *_Nullable cgps_make(void) {
  return (struct gps_data_t *)calloc(1, sizeof(struct gps_data_t));
}
static inline void cgps_free(struct gps_data_t *memory) { free(memory); }

/// Lets libgps read one report of gpsd. `line` ends with NUL and may be changed by libgps.
///
/// Returns what libgps returns, negative for an error. 3.22 has none for a line that it cannot
/// read: it stops there, and the fields behind are NaN.
static inline int cgps_unpack(char *line, struct gps_data_t *memory, cgps_fix *fix) {
  memory->set = 0;
  int result = gps_unpack(line, memory);
  if (result < 0) return result;
  fix->mode = memory->fix.mode;
  fix->time_seconds = (int64_t)memory->fix.time.tv_sec;
  fix->time_nanoseconds = (int64_t)memory->fix.time.tv_nsec;
  fix->latitude = memory->fix.latitude;
  fix->longitude = memory->fix.longitude;
  fix->altitude_msl = memory->fix.altMSL;
  fix->speed = memory->fix.speed;
  fix->climb = memory->fix.climb;
  fix->track = memory->fix.track;
  fix->horizontal_error = memory->fix.eph;
  fix->vertical_error = memory->fix.epv;
  fix->east_error = memory->fix.epx;
  fix->north_error = memory->fix.epy;
  fix->ellipsoid_height = memory->fix.altHAE;
  fix->earth_x = memory->fix.ecef.x;
  fix->earth_y = memory->fix.ecef.y;
  fix->earth_z = memory->fix.ecef.z;
  return 0;
}

#pragma clang assume_nonnull end
#endif
