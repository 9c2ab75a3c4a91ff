// SPDX-License-Identifier: Apache-2.0

// `AutoOpen`: opens a synchronised realm for a SwiftUI view.

#if Sync
#if canImport(SwiftUI)
public import Combine
import RealmSession
public import SwiftUI

/// The opening of a synchronised realm for a view to show: with the data of the server, or without.
///
/// ```swift
/// struct Start: View {
///   @AutoOpen(appId: "todos") var opening
///   var body: some View {
///     switch opening {
///     case .connecting: ProgressView()
///     case .waitingForUser: LogIn()
///     case .progress(let progress): ProgressView(progress)
///     case .open(let realm): Todos().environment(\.realm, realm)
///     case .error(let error): Text(error.localizedDescription)
///     }
///   }
/// }
/// ```
///
/// If the data of the server cannot be had, what the device has is opened.
/// The realm is opened anew when another user becomes the current one. The environment may name
/// the partition (`EnvironmentValues.partitionValue`), and a configuration that is not the default
/// one (`EnvironmentValues.realmConfiguration`).
@MainActor @propertyWrapper
public struct AutoOpen: DynamicProperty {
  @Environment(\.realmConfiguration) private var configuration
  @Environment(\.partitionValue) private var partitionValue
  @StateObject private var model: AsyncOpenModel

  /// Opens the realm of a partition.
  ///
  /// - Parameters:
  ///   - appId: The id of the app; by default that of the program's only app.
  ///   - partitionValue: The partition.
  ///   - configuration: The options of the realm; its user and partition are replaced.
  ///   - timeout: The milliseconds that a connection may take; nil for the usual ones.
  public init<Partition: BSON>(
    appId: String? = nil, partitionValue: Partition, configuration: Realm.Configuration? = nil,
    timeout: UInt? = nil
  ) { self.init(appId, AnyBSON(partitionValue), configuration, timeout) }

  /// Opens the realm whose subscriptions decide what it has.
  ///
  /// - Parameters:
  ///   - appId: The id of the app; by default that of the program's only app.
  ///   - configuration: The options of the realm and its first subscriptions; its user is replaced.
  ///   - timeout: The milliseconds that a connection may take; nil for the usual ones.
  public init(
    appId: String? = nil, configuration: Realm.Configuration? = nil, timeout: UInt? = nil
  ) { self.init(appId, nil, configuration, timeout) }

  private init(
    _ id: String?, _ partition: AnyBSON?, _ configuration: Realm.Configuration?, _ timeout: UInt?
  ) {
    _model = StateObject(
      wrappedValue: MainActor.assumeIsolated {
        AsyncOpenModel(AsyncOpenModel.app(id, timeout: timeout), .auto, configuration, partition)
      })
  }

  /// How far the opening is. The first view that asks begins it.
  public var wrappedValue: AsyncOpenState {
    model.begin()
    return model.state
  }

  /// Publishes each state of the opening.
  public var projectedValue: Published<AsyncOpenState>.Publisher { model.$state }

  /// Ends the opening; the view gets no more states.
  public func cancel() { model.cancel() }

  /// Takes the environment of the view; SwiftUI calls it before it draws the view.
  public nonisolated func update() {
    MainActor.assumeIsolated {
      let isUsual = configuration == .defaultConfiguration
      model.take(partitionValue?.anyBSON, isUsual ? nil : configuration)
    }
  }
}
#endif
#endif
