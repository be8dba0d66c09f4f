// libgps behind one flat record. `struct gps_data_t` is 24 KiB and changes with every
// GPSD_API_MAJOR_VERSION, so it stays in C.
#ifndef HOMEWARD_CGPS_H
#define HOMEWARD_CGPS_H

#include <gps.h>
#include <math.h>
#include <stdlib.h>

#pragma clang assume_nonnull begin

/// A report of gpsd. A TPV sets all fields but the last two: one that it does not hold becomes NaN,
/// and `mode` is 0 to 3 as gpsd gives it, or whatever else it gave. A SKY sets
/// `horizontal_dilution`, and an ATT sets `heading`.
typedef struct {
  int mode;
  double latitude, longitude;               ///< degrees
  double altitude_msl;                      ///< metres above mean sea level
  double speed;                             ///< metres per second over ground
  double climb;                             ///< metres per second upward
  double track;                             ///< degrees from true north
  double horizontal_error, vertical_error;  ///< metres (eph, epv)
  double east_error, north_error;           ///< metres (epx, epy)
  double ellipsoid_height;                  ///< metres (altHAE)
  double earth_x, earth_y, earth_z;         ///< metres (ECEF)
  double horizontal_dilution;               ///< HDOP
  double heading;                           ///< degrees from true north
} cgps_report;

/// libgps's working memory; made once.
static inline struct gps_data_t *_Nullable cgps_make(void) {
  return (struct gps_data_t *)calloc(1, sizeof(struct gps_data_t));
}
static inline void cgps_free(struct gps_data_t *memory) { free(memory); }

/// Lets libgps read one report of gpsd. `line` ends with NUL and may be changed by libgps.
///
/// Returns what libgps returns, negative for an error. 3.22 has none for a line that it cannot
/// read: it stops there, and the fields behind are NaN.
static inline int cgps_unpack(char *line, struct gps_data_t *memory, cgps_report *report) {
  memory->set = 0;
  int result = gps_unpack(line, memory);
  if (result < 0) return result;
  report->mode = memory->fix.mode;
  report->latitude = memory->fix.latitude;
  report->longitude = memory->fix.longitude;
  report->altitude_msl = memory->fix.altMSL;
  report->speed = memory->fix.speed;
  report->climb = memory->fix.climb;
  report->track = memory->fix.track;
  report->horizontal_error = memory->fix.eph;
  report->vertical_error = memory->fix.epv;
  report->east_error = memory->fix.epx;
  report->north_error = memory->fix.epy;
  report->ellipsoid_height = memory->fix.altHAE;
  report->earth_x = memory->fix.ecef.x;
  report->earth_y = memory->fix.ecef.y;
  report->earth_z = memory->fix.ecef.z;
  report->horizontal_dilution = memory->dop.hdop;
  // It is in a union.
  report->heading = memory->set & ATTITUDE_SET ? memory->attitude.heading : NAN;
  return 0;
}

#pragma clang assume_nonnull end
#endif
