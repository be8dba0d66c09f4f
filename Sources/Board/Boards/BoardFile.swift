/// What is known of a kind of board: the pins of its headers, and which GPIO lines they are.
///
/// It is data, the content of a file such as `boards/raspberry-pi-4.yaml`; `boards/README.md` says
/// what each key means. Texts are UTF-8.
public struct BoardFile: Equatable, Sendable {
  /// `name`: what people call it.
  public let name: [UInt8]
  /// `compatible`: the boards that it is, as their device trees say it; at least one.
  public let compatible: [[UInt8]]
  /// `model`: what the model in the device tree begins with, where `compatible` does not tell two
  /// boards apart.
  public let model: [UInt8]?
  /// `chips`: those that have the lines.
  public let chips: [Chip]
  /// `functions`: what else takes lines, such as an I2C controller.
  public let functions: [Function]
  /// `headers`: at least one.
  public let headers: [Header]

  /// A GPIO chip.
  public struct Chip: Equatable, Sendable {
    /// What the file calls it.
    public let name: [UInt8]
    /// `labels`: what kernels call it; empty where that is not constant.
    public let labels: [[UInt8]]
  }

  /// A controller of the processor whose signals are on pins.
  public struct Function: Equatable, Sendable {
    public let name: [UInt8]
    /// `nodes`: where it is in the device trees of different kernels; at least one.
    public let nodes: [[UInt8]]
  }

  /// A connector: its pins in the order of their numbers, which begin with 1.
  public struct Header: Equatable, Sendable {
    public let name: [UInt8]
    public let pins: [Pin]
  }

  public struct Pin: Equatable, Sendable {
    /// `name` and `also`: the first one is shown. The kernel's name of the line is among them.
    public let names: [[UInt8]]
    /// `line`: nil where the pin is none, such as ground.
    public let line: Line?
    /// `function`: what takes the line when it is enabled.
    public let signal: Signal?

    /// The name that is shown.
    public var name: [UInt8] { names.first ?? [] }
  }

  /// A line, `CHIP/OFFSET`.
  public struct Line: Equatable, Sendable {
    /// Which of `chips`.
    public let chip: Int
    /// Which line of the chip.
    public let offset: UInt32
  }

  /// A signal of a function, such as `i2c1 SDA`.
  public struct Signal: Equatable, Sendable {
    /// Which of `functions`.
    public let function: Int
    /// The whole text.
    public let text: [UInt8]
  }

  /// A pin of the board: which header, and which pin of it, both counted from 0.
  public struct Place: Equatable, Sendable {
    public let header: Int
    public let pin: Int

    public init(header: Int, pin: Int) {
      self.header = header
      self.pin = pin
    }
  }

  public subscript(place: Place) -> Pin { headers[place.header].pins[place.pin] }
}

extension BoardFile {
  public static let compatibleMax = 32
  public static let chipsMax = 16
  public static let labelsMax = 8
  public static let functionsMax = 32
  public static let nodesMax = 8
  public static let headersMax = 4
  public static let pinsMax = 128
  public static let aliasesMax = 8
  /// Bytes of a word without a space, such as a chip's label.
  public static let wordBytesMax = 63
  /// The last line that a chip may have, as in the configuration.
  public static let offsetMax = 4095
  /// `GPIO_MAX_NAME_SIZE` of `linux/gpio.h`, without the NUL.
  public static let nameBytesMax = 31
}
