import Foundation

/// Measures what the agent costs, as counts: `Tests/System/Benchmarks/run` builds all of it and
/// starts it.
@main
enum Benchmarks {
  static func main() {
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      exit(try measure(options))
    } catch let failure as Failure {
      progress("benchmarks: \(failure.text)")
      exit(failure.code.rawValue)
    } catch {
      progress("benchmarks: \(error)")
      exit(Failure.Code.software.rawValue)
    }
  }

  private static func measure(_ options: Options) throws -> Int32 {
    let report: any Measured =
      switch options.measurement {
      case .cycles: try Report(options)
      case .instructions: try InstructionReport(options)
      case .mixed: try MixedReport(options)
      case .library: try LibraryReport(options)
      case .energy: try EnergyReport(options)
      case .idle: try IdleReport(options)
      }
    print(report.text)
    let budgets = report.budgets
    for budget in budgets.broken { progress("over budget: \(budget.words)") }
    return budgets.broken.isEmpty ? 0 : 1
  }
}
