// SPDX-License-Identifier: Apache-2.0

// A growing number.

#if Server
import CoreMetrics
import Synchronization

/// A counter of `PrometheusMetrics`.
final class PrometheusCounter: CounterHandler {
  private let count = Atomic<Int64>(0)

  var value: Int64 { count.load(ordering: .relaxed) }

  func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }
  func reset() { count.store(0, ordering: .relaxed) }
}
#endif
