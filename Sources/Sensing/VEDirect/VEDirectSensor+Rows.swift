/// The sensors: first those of the default, then the device's own history.
extension VEDirectSensor {
  /// Number of sensors in `all` that are reported if `only` is not set.
  public static let usualCount = 41

  /// All sensors of a device, by labels of VE.Direct; a sensor's number is its index.
  public static let all: [VEDirectSensor] = [
    VEDirectSensor(
      "V", "voltage", unit: "V", deviceClass: "voltage", .number(3, 2)),
    VEDirectSensor(
      "V2", "voltage_2", unit: "V", deviceClass: "voltage", .number(3, 2)),
    VEDirectSensor(
      "V3", "voltage_3", unit: "V", deviceClass: "voltage", .number(3, 2)),
    VEDirectSensor(
      "VS", "starter_voltage", unit: "V", deviceClass: "voltage", .number(3, 2)),
    VEDirectSensor(
      "VM", "midpoint_voltage", unit: "V", deviceClass: "voltage", .number(3, 2)),
    VEDirectSensor("DM", "midpoint_deviation", unit: "%", .number(1, 1), icon: "mdi:plus-minus"),
    VEDirectSensor(
      "VPV", "panel_voltage", unit: "V", deviceClass: "voltage", .number(3, 2)),
    VEDirectSensor(
      "PPV", "panel_power", unit: "W", deviceClass: "power", .number(0, 0)),
    VEDirectSensor(
      "I", "current", unit: "A", deviceClass: "current", .number(3, 2)),
    VEDirectSensor(
      "I2", "current_2", unit: "A", deviceClass: "current", .number(3, 2)),
    VEDirectSensor(
      "I3", "current_3", unit: "A", deviceClass: "current", .number(3, 2)),
    VEDirectSensor(
      "IL", "load_current", unit: "A", deviceClass: "current", .number(3, 2)
    ),
    VEDirectSensor("LOAD", "load", .onOff, icon: "mdi:power-socket"),
    VEDirectSensor(
      "T", "temperature", unit: "°C", deviceClass: "temperature", .number(0, 0)),
    VEDirectSensor("P", "power", unit: "W", deviceClass: "power", .number(0, 0)),
    VEDirectSensor("CE", "consumed", unit: "Ah", .number(3, 1), icon: "mdi:battery-minus"),
    VEDirectSensor(
      "SOC", "soc", words: "state of charge", unit: "%", deviceClass: "battery", .number(1, 0)),
    VEDirectSensor(
      "TTG", "time_to_go", unit: "min", deviceClass: "duration", .minutes),
    VEDirectSensor("Alarm", "alarm", deviceClass: "problem", .onOff),
    VEDirectSensor("Relay", "relay", .onOff, icon: "mdi:electric-switch"),
    VEDirectSensor("AR", "alarm_reason", .bits(VEDirectWords.alarms), icon: "mdi:alert-circle"),
    VEDirectSensor(
      "OR", "off_reason", .bits(VEDirectWords.offReasons), icon: "mdi:power-off", isDiagnostic: true
    ),
    VEDirectSensor("WARN", "warning", .bits(VEDirectWords.alarms), icon: "mdi:alert-circle"),
    VEDirectSensor(
      "ERR", "error", .words(VEDirectWords.errors), icon: "mdi:alert-octagon", isDiagnostic: true),
    VEDirectSensor(
      "CS", "charge_state", .words(VEDirectWords.chargeStates), icon: "mdi:battery-charging"),
    VEDirectSensor(
      "MPPT", "tracker", .words(VEDirectWords.trackers), icon: "mdi:solar-power", isDiagnostic: true
    ),
    VEDirectSensor("MODE", "mode", .words(VEDirectWords.modes), icon: "mdi:power-settings"),
    VEDirectSensor(
      "MON", "monitor", .words(VEDirectWords.monitors), icon: "mdi:meter-electric",
      isDiagnostic: true),
    VEDirectSensor(
      "AC_OUT_V", "ac_voltage", words: "AC voltage", unit: "V", deviceClass: "voltage",
      .number(2, 1)),
    VEDirectSensor(
      "AC_OUT_I", "ac_current", words: "AC current", unit: "A", deviceClass: "current",
      .number(1, 1)),
    VEDirectSensor(
      "AC_OUT_S", "ac_apparent_power", words: "AC apparent power", unit: "VA",
      deviceClass: "apparent_power", .number(0, 0)),
    VEDirectSensor(
      "DC_IN_V", "input_voltage", unit: "V", deviceClass: "voltage", .number(2, 2)),
    VEDirectSensor(
      "DC_IN_I", "input_current", unit: "A", deviceClass: "current", .number(1, 1)),
    VEDirectSensor(
      "DC_IN_P", "input_power", unit: "W", deviceClass: "power", .number(0, 0)),
    VEDirectSensor(
      "H17", "discharged_energy", unit: "kWh", deviceClass: "energy",
      stateClass: "total_increasing", .number(2, 2)),
    VEDirectSensor(
      "H18", "charged_energy", unit: "kWh", deviceClass: "energy", stateClass: "total_increasing",
      .number(2, 2)),
    VEDirectSensor(
      "H19", "yield_total", unit: "kWh", deviceClass: "energy", stateClass: "total_increasing",
      .number(2, 2)),
    VEDirectSensor(
      "H20", "yield_today", unit: "kWh", deviceClass: "energy", stateClass: "total_increasing",
      .number(2, 2)),
    VEDirectSensor(
      "H21", "power_max_today", words: "highest power today", unit: "W", deviceClass: "power",
      .number(0, 0)),
    VEDirectSensor(
      "H22", "yield_yesterday", unit: "kWh", deviceClass: "energy", stateClass: nil, .number(2, 2)),
    VEDirectSensor(
      "H23", "power_max_yesterday", words: "highest power yesterday", unit: "W",
      deviceClass: "power", .number(0, 0)),
    VEDirectSensor(
      "H1", "deepest_discharge", unit: "Ah", .number(3, 1), icon: "mdi:history", isDiagnostic: true),
    VEDirectSensor(
      "H2", "last_discharge", unit: "Ah", .number(3, 1), icon: "mdi:history", isDiagnostic: true),
    VEDirectSensor(
      "H3", "average_discharge", unit: "Ah", .number(3, 1), icon: "mdi:history", isDiagnostic: true),
    VEDirectSensor("H4", "charge_cycles", .number(0, 0), icon: "mdi:history", isDiagnostic: true),
    VEDirectSensor("H5", "full_discharges", .number(0, 0), icon: "mdi:history", isDiagnostic: true),
    VEDirectSensor(
      "H6", "total_drawn", unit: "Ah", .number(3, 1), icon: "mdi:history", isDiagnostic: true),
    VEDirectSensor(
      "H7", "voltage_min", words: "lowest voltage", unit: "V", deviceClass: "voltage",
      .number(3, 2), isDiagnostic: true),
    VEDirectSensor(
      "H8", "voltage_max", words: "highest voltage", unit: "V", deviceClass: "voltage",
      .number(3, 2), isDiagnostic: true),
    VEDirectSensor(
      "H9", "since_full", words: "time since full", unit: "s", deviceClass: "duration",
      .number(0, 0), isDiagnostic: true),
    VEDirectSensor(
      "H10", "synchronisations", .number(0, 0), icon: "mdi:history", isDiagnostic: true),
    VEDirectSensor(
      "H11", "low_voltage_alarms", .number(0, 0), icon: "mdi:history", isDiagnostic: true),
    VEDirectSensor(
      "H12", "high_voltage_alarms", .number(0, 0), icon: "mdi:history", isDiagnostic: true),
    VEDirectSensor(
      "H13", "low_starter_alarms", .number(0, 0), icon: "mdi:history", isDiagnostic: true),
    VEDirectSensor(
      "H14", "high_starter_alarms", .number(0, 0), icon: "mdi:history", isDiagnostic: true),
    VEDirectSensor(
      "H15", "starter_voltage_min", words: "lowest starter voltage", unit: "V",
      deviceClass: "voltage", .number(3, 2), isDiagnostic: true),
    VEDirectSensor(
      "H16", "starter_voltage_max", words: "highest starter voltage", unit: "V",
      deviceClass: "voltage", .number(3, 2), isDiagnostic: true),
  ]
}
