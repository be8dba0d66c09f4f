import Bytes
import LinuxIO
import Sensing

/// Data that this program has sent and received, as a data plan counts it (`Traffic`).
final class DataTraffic: Source {
  let name = InlineText("traffic")
  private let sink: any ReadingSink
  private var sent: DeclaredSensor
  private var received: DeclaredSensor

  /// `minChange` is the least change that counts, in megabytes; nil for each one that shows.
  init(minChange: FixedPoint?, sink: any ReadingSink) {
    self.sink = sink
    sent = Self.sensor("data_sent", "Data sent", "mdi:upload-network", minChange)
    received = Self.sensor("data_received", "Data received", "mdi:download-network", minChange)
  }

  func sample(at moment: Moment) throws(SourceFailure) {
    let traffic = Traffic.ofThisProcess
    sent.record(Self.megabytes(traffic.sentByteCount), at: moment.wallTime, in: sink)
    received.record(Self.megabytes(traffic.receivedByteCount), at: moment.wallTime, in: sink)
  }

  /// Converts to megabytes, in whole thousands of bytes.
  private static func megabytes(_ byteCount: Int64) -> Value {
    .number(FixedPoint(byteCount / 1000, decimals: 3))
  }

  private static func sensor(
    _ uniqueID: StaticString, _ name: StaticString, _ icon: StaticString, _ minChange: FixedPoint?
  ) -> DeclaredSensor {
    DeclaredSensor(
      SensorDescription(
        uniqueID: [UInt8](uniqueID), name: [UInt8](name), unit: [UInt8]("MB"),
        deviceClass: [UInt8]("data_size"), stateClass: [UInt8]("total_increasing"),
        icon: [UInt8](icon), isDiagnostic: true),
      minChange: minChange)
  }
}
