/// The description of a kind of board: the pins of its headers, and their GPIO lines.
///
/// It is the content of a file such as `boards/raspberry-pi-4.yaml`; `boards/README.md` describes
/// each key. Texts are UTF-8.
public struct BoardFile: Equatable, Sendable {
  /// `name`: name for people.
  public let name: [UInt8]
  /// `compatible`: the boards that the file describes, by the words of their device trees; at least
  /// one.
  public let compatible: [[UInt8]]
  /// `model`: beginning of the model in the device tree, if `compatible` does not distinguish two
  /// boards.
  public let model: [UInt8]?
  /// `chips`: the chips that have the lines.
  public let chips: [Chip]
  /// `functions`: other users of lines, such as an I2C controller.
  public let functions: [Function]
  /// `headers`: at least one.
  public let headers: [Header]

  public struct Chip: Equatable, Sendable {
    /// Name in this file.
    public let name: [UInt8]
    /// `labels`: labels in kernels; empty if they are not constant.
    public let labels: [[UInt8]]
  }

  /// A controller of the processor with signals on pins.
  public struct Function: Equatable, Sendable {
    public let name: [UInt8]
    /// `nodes`: nodes in the device trees of different kernels; at least one.
    public let nodes: [[UInt8]]
  }

  /// A connector with its pins in the order of their numbers, which begin with 1.
  public struct Header: Equatable, Sendable {
    public let name: [UInt8]
    public let pins: [Pin]
  }

  public struct Pin: Equatable, Sendable {
    /// `name` and `also`: the first one is shown. They include the kernel's name of the line.
    public let names: [[UInt8]]
    /// `line`: nil if the pin is not a GPIO line, such as ground.
    public let line: Line?
    /// `function`: signal that uses the line when the function is enabled.
    public let signal: Signal?

    public var name: [UInt8] { names.first ?? [] }
  }

  /// A line, `CHIP/OFFSET`.
  public struct Line: Equatable, Sendable {
    /// Index in `chips`.
    public let chip: Int
    /// Offset of the line on the chip.
    public let offset: UInt32
  }

  /// A signal of a function, such as `i2c1 SDA`.
  public struct Signal: Equatable, Sendable {
    /// Index in `functions`.
    public let function: Int
    /// Whole text of the key.
    public let text: [UInt8]
  }

  /// The position of a pin: its header and its index there, both from 0.
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
  /// Maximum size of a word, such as a chip's label.
  public static let wordBytesMax = 63
  /// Highest line of a chip, as in the configuration.
  public static let offsetMax = 4095
  /// `GPIO_MAX_NAME_SIZE` of `linux/gpio.h`, without the NUL.
  public static let nameBytesMax = 31
}
