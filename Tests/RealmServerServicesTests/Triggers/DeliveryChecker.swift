// SPDX-License-Identifier: Apache-2.0

// What a test demands of the deliveries of a trigger: each change at least once, in its order.

#if Server
/// Compares what was delivered with what was written.
struct DeliveryChecker {
  /// A delivery, with the number of the server's life in which it happened.
  struct Delivery: Hashable {
    let life: Int
    let event: String
  }

  /// What was written, in its order; no text twice.
  var written: [String] = []
  var delivered: [Delivery] = []

  /// What is wrong; nil if nothing is.
  var problem: String? {
    var places: [String: Int] = [:]
    for (place, event) in written.enumerated() { places[event] = place }
    // The next event that has never been delivered, and the place in the present life.
    var next = 0
    var last: (life: Int, place: Int)?
    for delivery in delivered {
      guard let place = places[delivery.event] else {
        return "\(delivery.event) was never written"
      }
      if place > next { return "\(written[next]) is left out before \(delivery.event)" }
      if let last, last.life == delivery.life, place != last.place + 1 {
        return "\(delivery.event) comes after \(written[last.place]) in one life"
      }
      next = max(next, place + 1)
      last = (delivery.life, place)
    }
    return next == written.count ? nil : "\(written[next]) was never delivered"
  }
}
#endif
