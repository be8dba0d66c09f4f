import Outbox

extension SensorHour {
  /// Not a number of a counter.
  var mean: Double { if case .measured(let mean, _, _) = figures { mean } else { .nan } }
  var lowest: Double { if case .measured(_, let lowest, _) = figures { lowest } else { .nan } }
  var highest: Double { if case .measured(_, _, let highest) = figures { highest } else { .nan } }
}
