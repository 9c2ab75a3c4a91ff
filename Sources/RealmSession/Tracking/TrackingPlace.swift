// SPDX-License-Identifier: Apache-2.0

// Finds the thread-local word of the Observation library that is set inside
// `withObservationTracking`.
//
// A registrar reads that word with each access that is reported to it, at several times the cost of
// reading a property. So accessors read the library's thread-local word themselves. It is found by
// searching for the one word that is set inside of `withObservationTracking` and zero outside, on
// two threads; if the search has no unique result, nothing is tracked, and everything else works.
// If the system cannot create a thread, sessions that are opened later search again.
//
// Invariants:
// 1. `place` is the same for all threads: the word lies at a fixed offset from the thread pointer
//    (on Apple systems it is a thread-specific value with a fixed number), so that reading there is
//    safe on any thread. The search on two threads proves it.

import CRealmPlatform
import Observation
import RealmStorage

/// The offset of the word that says whether the calling thread tracks.
package enum TrackingPlace {
  package static var place: Int {
    if let known = found.withLock({ $0 }) { return known }
    guard let first = candidatesOfNewThread(), let second = candidatesOfNewThread() else {
      return realm_tracking_nowhere()
    }
    let common = first.intersection(second)
    let place = common.count == 1 ? common.first : nil
    return found.withLock { found in
      let result = found ?? place ?? realm_tracking_nowhere()
      found = result
      return result
    }
  }

  /// The result of the search; nil before it.
  private static let found = Locked<Int?>(nil)

  /// The offsets whose words change when tracking begins and ends, found on a thread that tracks
  /// nothing.
  ///
  /// Nil if no thread can be created.
  private static func candidatesOfNewThread() -> Set<Int>? {
    let answer = Handover<Set<Int>>()
    let hasThread = BackgroundThread.start(named: "realm-tracking") { answer.give(candidates()) }
    return hasThread ? answer.wait() : nil
  }

  private static func candidates() -> Set<Int> {
    let before = places()
    var during: [Int: Bool] = [:]
    withObservationTracking {
      during = places()
    } onChange: {
    }
    let after = places()
    return Set(
      during.filter { $0.value && before[$0.key] == false && after[$0.key] == false }.keys)
  }

  /// The candidate offsets, and whether their words say that the calling thread tracks.
  private static func places() -> [Int: Bool] {
    #if canImport(Darwin)
    // The runtime's keys of the Swift libraries are 100 to 109.
    return Dictionary(uniqueKeysWithValues: (100..<110).map { ($0, realm_is_tracking($0)) })
    #else
    // The metadata of a type lies in its library.
    let address = unsafe unsafeBitCast(
      ObservationRegistrar.self as Any.Type, to: UnsafeRawPointer.self)
    var count = 0
    guard let words = unsafe realm_thread_local_words(address, &count) else { return [:] }
    var places: [Int: Bool] = [:]
    for index in 0..<count {
      let distance = unsafe Int(bitPattern: words + index) - Int(bitPattern: realm_thread_pointer())
      places[distance] = unsafe words[index] != 0
    }
    return places
    #endif
  }
}
