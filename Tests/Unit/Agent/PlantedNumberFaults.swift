/// Numbers of the kernel that are not there, that cannot be, or for which nothing vouches.
extension SetUp.PlantedFaults {
  static let numbers = [
    PlantedFault(
      "a monitor reads rubbish",
      "source         nct6793/temp15 reports \"3892313.987 °C\", outside of -100 to 250 °C",
      atFault: "this board",
      remedy: "nothing is connected there, or its driver reads it wrong: check the part and its"
        + " cable, or remove the channel", status: 74
    ) {
      let chip = "sys/class/hwmon/hwmon0"
      try $0.board.write("nct6793\n", to: "\(chip)/name")
      try $0.board.write("3892313987\n", to: "\(chip)/temp15_input")
      try $0.configure("sensors: [{ hwmon: nct6793/temp15, name: Box }]")
    },
    PlantedFault(
      "a diode is open",
      "source         lm90/temp2 is faulty: its part reports that the reading cannot be trusted",
      atFault: "this board",
      remedy: "check what is connected there and its cable: open or shorted", status: 74
    ) {
      let chip = "sys/class/hwmon/hwmon0"
      try $0.board.write("lm90\n", to: "\(chip)/name")
      try $0.board.write("127000\n", to: "\(chip)/temp2_input")
      try $0.board.write("1\n", to: "\(chip)/temp2_fault")
      try $0.configure("sensors: [{ hwmon: lm90/temp2, name: Box }]")
    },
    PlantedFault(
      "a converter has no scale",
      "source         am335x/voltage0 has no scale: the kernel does not say what its numbers mean",
      atFault: "this board",
      remedy: "write what they mean: scale and to, table or factor, with unit and device_class",
      status: 74
    ) {
      let device = "sys/bus/iio/devices/iio:device0"
      try $0.board.write("am335x\n", to: "\(device)/name")
      try $0.board.write("3849\n", to: "\(device)/in_voltage0_raw")
      try $0.configure("sensors: [{ iio: am335x/voltage0, name: House }]")
    },
    PlantedFault(
      "a thermocouple is open",
      "source         3b-0000001921e8 reports \"2047.750 °C\", outside of -270 to 1372 °C",
      atFault: "this board",
      remedy: "check the thermocouple, which may be open, shorted or reversed, and the"
        + " cable: three wires, and a resistor of 4.7 kOhm between data and 3.3 V", status: 74
    ) {
      try $0.board.write("2047750\n", to: "sys/bus/w1/devices/3b-0000001921e8/temperature")
      try $0.configure("sensors: [{ one_wire: 3b-0000001921e8, name: Stove }]")
    },
    PlantedFault(
      "the thermal zone that was asked for is absent",
      "source         processor temperature: a thermal zone that answers was not found",
      atFault: "the configuration", remedy: "leave cpu_temperature out of system", status: 74
    ) {
      try $0.board.makeFolder("sys/class/thermal")
      try $0.board.configure("system: off", "system: [cpu_temperature]")
    },
  ]
}
