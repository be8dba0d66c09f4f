import Foundation

/// Measures what the agent costs, as counts: `Tests/Benchmarks/run` builds all of it and starts it.
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
    let budgets: [Budget]
    if options.isOfLibrary {
      let report = try LibraryReport(options)
      print(options.isJSON ? try report.json() : report.text)
      budgets = report.budgets
    } else if options.isMixed {
      let report = try MixedReport(options)
      print(options.isJSON ? try report.json() : report.text)
      budgets = report.budgets
    } else if options.countsInstructions {
      let report = try InstructionReport(options)
      print(options.isJSON ? try report.json() : report.text)
      budgets = report.budgets
    } else {
      let report = try Report(options)
      print(options.isJSON ? try report.json() : report.text)
      budgets = report.budgets
    }
    for budget in budgets.broken { progress("over budget: \(budget.words)") }
    return budgets.broken.isEmpty ? 0 : 1
  }
}
