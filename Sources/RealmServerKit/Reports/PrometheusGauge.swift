// SPDX-License-Identifier: Apache-2.0

// A number with any change.

#if Server
import CoreMetrics
import NIOConcurrencyHelpers

/// A gauge of `PrometheusMetrics`.
final class PrometheusGauge: MeterHandler {
  private let number = NIOLockedValueBox(0.0)

  var value: Double { number.withLockedValue { $0 } }

  func set(_ value: Int64) { number.withLockedValue { $0 = Double(value) } }
  func set(_ value: Double) { number.withLockedValue { $0 = value } }
  func increment(by amount: Double) { number.withLockedValue { $0 += amount } }
  func decrement(by amount: Double) { number.withLockedValue { $0 -= amount } }
}
#endif
