// SPDX-License-Identifier: Apache-2.0

// The configurations of apps that are made with an id alone.

#if Sync
import RealmStorage

/// The configurations of `App(id:)`. A test may give an app one with a server of its own.
enum UsualConfigurations {
  typealias Maker = @Sendable () -> AppConfiguration

  private static let makers = Locked<[String: Maker]>([:])

  static func of(_ id: String) -> AppConfiguration {
    let maker = makers.withLock { $0[id] }
    return maker?() ?? AppConfiguration()
  }

  /// Makes `App(id:)` use other configurations for an id; nil for the usual ones.
  static func set(_ maker: Maker?, of id: String) { makers.withLock { $0[id] = maker } }
}

@_spi(RealmTesting)
extension _RealmTesting {
  /// Makes `App(id:)` use the configurations that a block returns for an id, so that a program
  /// under test finds a server of the test; nil for the usual one again.
  ///
  /// Holds for `App` values that are made afterwards.
  public static func setConfiguration(
    ofApp id: String, _ make: (@Sendable () -> AppConfiguration)?
  ) {
    UsualConfigurations.set(make, of: id)
  }
}
#endif
