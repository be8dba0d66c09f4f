/// The sensors: first those of the default, then the device's own history.
extension VEDirectSensor {
  /// Number of sensors in `all` that are reported if `only` is not set.
  public static let usualCount = 41

  /// All sensors of a device, by labels of VE.Direct; a sensor's number is its index.
  public static let all: [VEDirectSensor] = [
    VEDirectSensor("V", "voltage", .volts, .number(3, 2)),
    VEDirectSensor("V2", "voltage_2", .volts, .number(3, 2)),
    VEDirectSensor("V3", "voltage_3", .volts, .number(3, 2)),
    VEDirectSensor("VS", "starter_voltage", .volts, .number(3, 2)),
    VEDirectSensor("VM", "midpoint_voltage", .volts, .number(3, 2)),
    VEDirectSensor("DM", "midpoint_deviation", .percent, .number(1, 1)).with(
      icon: "mdi:plus-minus"),
    VEDirectSensor("VPV", "panel_voltage", .volts, .number(3, 2)),
    VEDirectSensor("PPV", "panel_power", .watts, .number(0, 0)),
    VEDirectSensor("I", "current", .amperes, .number(3, 2)),
    VEDirectSensor("I2", "current_2", .amperes, .number(3, 2)),
    VEDirectSensor("I3", "current_3", .amperes, .number(3, 2)),
    VEDirectSensor("IL", "load_current", .amperes, .number(3, 2)),
    VEDirectSensor("LOAD", "load", .none, .onOff).with(icon: "mdi:power-socket"),
    VEDirectSensor("T", "temperature", .celsius, .number(0, 0)),
    VEDirectSensor("P", "power", .watts, .number(0, 0)),
    VEDirectSensor("CE", "consumed", .ampereHours, .number(3, 1)).with(icon: "mdi:battery-minus"),
    VEDirectSensor("SOC", "soc", .charge, .number(1, 0)).named("state of charge"),
    VEDirectSensor("TTG", "time_to_go", .minutes, .minutes),
    VEDirectSensor("Alarm", "alarm", .problem, .onOff),
    VEDirectSensor("Relay", "relay", .none, .onOff).with(icon: "mdi:electric-switch"),
    VEDirectSensor("AR", "alarm_reason", .none, .bits(.alarms)).with(icon: "mdi:alert-circle"),
    VEDirectSensor("OR", "off_reason", .diagnosis, .bits(.offReasons)).with(icon: "mdi:power-off"),
    VEDirectSensor("WARN", "warning", .none, .bits(.alarms)).with(icon: "mdi:alert-circle"),
    VEDirectSensor("ERR", "error", .diagnosis, .words(.errors)).with(icon: "mdi:alert-octagon"),
    VEDirectSensor("CS", "charge_state", .none, .words(.chargeStates)).with(
      icon: "mdi:battery-charging"),
    VEDirectSensor("MPPT", "tracker", .diagnosis, .words(.trackers)).with(icon: "mdi:solar-power"),
    VEDirectSensor("MODE", "mode", .none, .words(.modes)).with(icon: "mdi:power-settings"),
    VEDirectSensor("MON", "monitor", .diagnosis, .words(.monitors)).with(
      icon: "mdi:meter-electric"),
    VEDirectSensor("AC_OUT_V", "ac_voltage", .volts, .number(2, 1)).named("AC voltage"),
    VEDirectSensor("AC_OUT_I", "ac_current", .amperes, .number(1, 1)).named("AC current"),
    VEDirectSensor("AC_OUT_S", "ac_apparent_power", .voltAmperes, .number(0, 0)).named(
      "AC apparent power"),
    VEDirectSensor("DC_IN_V", "input_voltage", .volts, .number(2, 2)),
    VEDirectSensor("DC_IN_I", "input_current", .amperes, .number(1, 1)),
    VEDirectSensor("DC_IN_P", "input_power", .watts, .number(0, 0)),
    VEDirectSensor("H17", "discharged_energy", .energy, .number(2, 2)),
    VEDirectSensor("H18", "charged_energy", .energy, .number(2, 2)),
    VEDirectSensor("H19", "yield_total", .energy, .number(2, 2)),
    VEDirectSensor("H20", "yield_today", .energy, .number(2, 2)),
    VEDirectSensor("H21", "power_max_today", .watts, .number(0, 0)).named("highest power today"),
    VEDirectSensor("H22", "yield_yesterday", .pastEnergy, .number(2, 2)),
    VEDirectSensor("H23", "power_max_yesterday", .watts, .number(0, 0)).named(
      "highest power yesterday"),
    VEDirectSensor("H1", "deepest_discharge", .pastCharge, .number(3, 1)),
    VEDirectSensor("H2", "last_discharge", .pastCharge, .number(3, 1)),
    VEDirectSensor("H3", "average_discharge", .pastCharge, .number(3, 1)),
    VEDirectSensor("H4", "charge_cycles", .pastCount, .number(0, 0)),
    VEDirectSensor("H5", "full_discharges", .pastCount, .number(0, 0)),
    VEDirectSensor("H6", "total_drawn", .pastCharge, .number(3, 1)),
    VEDirectSensor("H7", "voltage_min", .pastVolts, .number(3, 2)).named("lowest voltage"),
    VEDirectSensor("H8", "voltage_max", .pastVolts, .number(3, 2)).named("highest voltage"),
    VEDirectSensor("H9", "since_full", .pastTime, .number(0, 0)).named("time since full"),
    VEDirectSensor("H10", "synchronisations", .pastCount, .number(0, 0)),
    VEDirectSensor("H11", "low_voltage_alarms", .pastCount, .number(0, 0)),
    VEDirectSensor("H12", "high_voltage_alarms", .pastCount, .number(0, 0)),
    VEDirectSensor("H13", "low_starter_alarms", .pastCount, .number(0, 0)),
    VEDirectSensor("H14", "high_starter_alarms", .pastCount, .number(0, 0)),
    VEDirectSensor("H15", "starter_voltage_min", .pastVolts, .number(3, 2)).named(
      "lowest starter voltage"),
    VEDirectSensor("H16", "starter_voltage_max", .pastVolts, .number(3, 2)).named(
      "highest starter voltage"),
  ]
}
