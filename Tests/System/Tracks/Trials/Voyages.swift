/// Voyages that are computed, so that no person's journey can be read from them.
extension Voyage {
  public static var computed: [Voyage] {
    [nightAtAnchor, roughAnchorage, tacks, motorway, walk, parkedCar]
  }

  /// Eight hours on 35 m of chain and boat, in a wind that turns.
  public static let nightAtAnchor: Voyage = {
    var boat = Traveller(latitude: 53.44, longitude: 5.62, seed: 11)
    boat.go(2.5, course: 80, seconds: 600)
    boat.go(0.8, course: 80, seconds: 60)
    boat.swing(radius: 35, seconds: 8 * 3600)
    return boat.voyage("a night at anchor")
  }()

  /// A receiver that wanders more than most, among rocks.
  public static let roughAnchorage: Voyage = {
    var boat = Traveller(latitude: 59.2, longitude: 18.9, seed: 12)
    boat.wanderMeters = 9
    boat.errorMeters = 19
    boat.swing(radius: 20, seconds: 8 * 3600)
    return boat.voyage("a bad receiver at anchor")
  }()

  /// To windward: a tack each four minutes.
  public static let tacks: Voyage = {
    var boat = Traveller(latitude: 54.4, longitude: 10.2, seed: 13)
    for leg in 0..<20 {
      boat.go(3, course: leg.isMultiple(of: 2) ? 315 : 45, seconds: 240)
      boat.go(1.5, course: 0, seconds: 6)
    }
    return boat.voyage("tacks")
  }()

  /// Half an hour with bends, a rest, and half an hour more.
  public static let motorway: Voyage = {
    var car = Traveller(latitude: 48.1, longitude: 11.5, seed: 14)
    func drive() {
      for bend in 0..<15 {
        car.go(33, course: 80 + Double(bend) * 4, seconds: 90)
        car.go(
          33, course: 80 + Double(bend) * 4, turning: bend.isMultiple(of: 2) ? 0.8 : -0.5,
          seconds: 30)
      }
    }
    drive()
    car.go(0, seconds: 900)
    drive()
    return car.voyage("a motorway")
  }()

  /// Through a town, with lights that are red.
  public static let walk: Voyage = {
    var person = Traveller(latitude: 52.37, longitude: 4.9, seed: 15)
    for block in 0..<24 {
      person.go(1.4, course: [0, 90, 0, 270][block % 4], seconds: 90)
      if block.isMultiple(of: 3) { person.go(0, seconds: 40) }
    }
    return person.voyage("a walk")
  }()

  /// A day before the house, and a drive to work.
  public static let parkedCar: Voyage = {
    var car = Traveller(latitude: 40.4, longitude: -3.7, seed: 16)
    car.wanderMeters = 5
    car.errorMeters = 16
    car.go(0, seconds: 10 * 3600)
    for speed in stride(from: 1.0, through: 14, by: 1) { car.go(speed, course: 30, seconds: 1) }
    car.go(14, course: 30, seconds: 600)
    car.go(0, seconds: 2 * 3600)
    return car.voyage("a parked car, and a drive")
  }()
}
