// SPDX-License-Identifier: Apache-2.0

// `AsyncOpen`: opens a synchronised realm for a SwiftUI view.

#if Sync
#if canImport(SwiftUI)
public import Combine
public import SwiftUI

/// The opening of a synchronised realm, after its data were downloaded, for a view to show.
///
/// ```swift
/// struct Start: View {
///   @AsyncOpen(appId: "todos") var opening
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
/// Without a connection it waits, or ends with an error; `AutoOpen` opens what the device has.
/// The realm is opened anew when another user becomes the current one. The environment may name
/// the partition (`EnvironmentValues.partitionValue`), and a configuration that is not the default
/// one (`EnvironmentValues.realmConfiguration`).
@MainActor @propertyWrapper
public struct AsyncOpen: DynamicProperty {
  private var opening: RealmOpening

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
  ) {
    opening = RealmOpening(.async, appId, AnyBSON(partitionValue), configuration, timeout)
  }

  /// Opens the realm whose subscriptions decide what it has.
  ///
  /// - Parameters:
  ///   - appId: The id of the app; by default that of the program's only app.
  ///   - configuration: The options of the realm and its first subscriptions; its user is replaced.
  ///   - timeout: The milliseconds that a connection may take; nil for the usual ones.
  public init(
    appId: String? = nil, configuration: Realm.Configuration? = nil, timeout: UInt? = nil
  ) { opening = RealmOpening(.async, appId, nil, configuration, timeout) }

  /// How far the opening is. The first view that asks begins it.
  public var wrappedValue: AsyncOpenState { opening.begun() }

  /// Publishes each state of the opening.
  public var projectedValue: Published<AsyncOpenState>.Publisher { opening.states }

  /// Ends the opening; the view gets no more states.
  public func cancel() { opening.cancel() }
}
#endif
#endif
