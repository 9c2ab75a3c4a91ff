// SPDX-License-Identifier: Apache-2.0

// What `AsyncOpen` and `AutoOpen` have in common: the opening of a view, and its environment.

#if Sync
#if canImport(SwiftUI)
import Combine
import SwiftUI

/// The opening of a realm for a view. SwiftUI finds it in the wrapper of the view's property, and
/// updates it as one.
@MainActor struct RealmOpening: DynamicProperty {
  @Environment(\.realmConfiguration) private var configuration
  @Environment(\.partitionValue) private var partitionValue
  @StateObject private var model: AsyncOpenModel

  /// - Parameters:
  ///   - kind: What happens if the data of the server cannot be had.
  ///   - id: The id of the app; nil for that of the program's only app.
  ///   - partition: The partition; nil for subscriptions.
  ///   - configuration: The options of the realm; nil for the usual ones.
  ///   - timeout: The milliseconds that a connection may take; nil for the usual ones.
  init(
    _ kind: AsyncOpenModel.Kind, _ id: String?, _ partition: AnyBSON?,
    _ configuration: Realm.Configuration?, _ timeout: UInt?
  ) {
    _model = StateObject(
      wrappedValue: MainActor.assumeIsolated {
        AsyncOpenModel(AsyncOpenModel.app(id, timeout: timeout), kind, configuration, partition)
      })
  }

  /// How far the opening is. The first call begins it.
  func begun() -> AsyncOpenState {
    model.begin()
    return model.state
  }

  /// Publishes each state of the opening.
  var states: Published<AsyncOpenState>.Publisher { model.$state }

  /// Ends the opening; there are no more states.
  func cancel() { model.cancel() }

  /// Takes the environment of the view, before the view is drawn.
  nonisolated func update() {
    MainActor.assumeIsolated {
      let isUsual = configuration == .defaultConfiguration
      model.take(partitionValue?.anyBSON, isUsual ? nil : configuration)
    }
  }
}
#endif
#endif
