// SPDX-License-Identifier: Apache-2.0

// The partition of the views in the environment of SwiftUI.

#if Sync
#if canImport(SwiftUI)
public import SwiftUI

private struct PartitionValueKey: EnvironmentKey {
  static var defaultValue: (any PartitionValue)? { nil }
}

extension EnvironmentValues {
  /// The partition of the realms that `AsyncOpen` and `AutoOpen` open for views; nil for the one
  /// that they are given.
  public var partitionValue: (any PartitionValue)? {
    get { self[PartitionValueKey.self] }
    set { self[PartitionValueKey.self] = newValue }
  }
}
#endif
#endif
