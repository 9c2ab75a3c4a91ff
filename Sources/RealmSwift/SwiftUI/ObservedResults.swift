// SPDX-License-Identifier: Apache-2.0

// `ObservedResults`: results in SwiftUI views, which are redrawn after each change.

#if canImport(SwiftUI)
import Combine
public import Foundation
import RealmSession
public import SwiftUI

/// The objects of a class, shown by a view.
///
/// ```swift
/// struct Dogs: View {
///   @ObservedResults(Dog.self, sortDescriptor: SortDescriptor(keyPath: "name")) var dogs
///   var body: some View {
///     ForEach(dogs) { dog in Text(dog.name) }.onDelete(perform: $dogs.remove)
///   }
/// }
/// ```
///
/// The view gets them frozen, and is redrawn after each change. The realm is that of
/// `EnvironmentValues.realmConfiguration`, unless a configuration is given.
@MainActor @propertyWrapper
public struct ObservedResults<Element: Object & Identifiable>: DynamicProperty {
  @Environment(\.realmConfiguration) private var environment
  @StateObject private var shown: ShownResults<Element>
  private let configuration: Realm.Configuration?

  private init(
    _ configuration: Realm.Configuration?,
    _ refine: @escaping (Results<Element>) -> Results<Element>,
    _ keyPaths: [String]?
  ) {
    self.configuration = configuration
    let refine = UnsafeTransfer(refine)
    _shown = StateObject(
      wrappedValue: MainActor.assumeIsolated { ShownResults(refine.value, keyPaths) })
  }

  /// Shows the objects of a class.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - configuration: The realm; by default that of the environment.
  ///   - filter: The condition on the objects.
  ///   - keyPaths: The properties whose changes are wanted; nil for all.
  ///   - sortDescriptor: The order.
  public init(
    _ type: Element.Type, configuration: Realm.Configuration? = nil, filter: NSPredicate? = nil,
    keyPaths: [String]? = nil, sortDescriptor: RealmSwift.SortDescriptor? = nil
  ) {
    self.init(
      configuration,
      { all in
        let filtered = filter.map { all.filter($0) } ?? all
        return sortDescriptor.map { filtered.sorted(by: [$0]) } ?? filtered
      }, keyPaths)
  }

  /// Shows the objects of a class that fulfill a condition.
  ///
  /// - Parameters:
  ///   - type: The class.
  ///   - configuration: The realm; by default that of the environment.
  ///   - condition: The condition on the objects.
  ///   - keyPaths: The properties whose changes are wanted; nil for all.
  ///   - sortDescriptor: The order.
  public init(
    _ type: Element.Type, configuration: Realm.Configuration? = nil,
    where condition: @escaping (Query<Element>) -> Query<Bool>, keyPaths: [String]? = nil,
    sortDescriptor: RealmSwift.SortDescriptor? = nil
  ) {
    self.init(
      configuration,
      { all in
        let filtered = all.where(condition)
        return sortDescriptor.map { filtered.sorted(by: [$0]) } ?? filtered
      }, keyPaths)
  }

  /// The objects as they are, frozen.
  public var wrappedValue: Results<Element> { shown.results(in: configuration ?? environment) }

  /// The wrapper itself, whose methods change the objects.
  public var projectedValue: Self { self }

  /// Adds an object.
  public func append(_ object: Element) {
    guard let realm = shown.live(in: configuration ?? environment).realm else { return }
    changeLive(shown.live(in: configuration ?? environment)) { _ in realm.add(object) }
  }

  /// Deletes an object.
  public func remove(_ object: Element) {
    changeLive(object) { object in object.realm?.delete(object) }
  }

  /// Deletes the objects at some positions.
  public func remove(atOffsets offsets: IndexSet) {
    let objects = offsets.map { wrappedValue[$0] }
    changeLive(shown.live(in: configuration ?? environment)) { results in
      for object in objects.compactMap({ $0.thaw() }) { results.realm?.delete(object) }
    }
  }
}

/// The results that a view shows.
@MainActor private final class ShownResults<Element: Object>: ObservableObject {
  private let refine: (Results<Element>) -> Results<Element>
  private let keyPaths: [String]?
  private var configuration: Realm.Configuration?
  private var results: (live: Results<Element>, frozen: Results<Element>)?
  private var token: NotificationToken?

  init(_ refine: @escaping (Results<Element>) -> Results<Element>, _ keyPaths: [String]?) {
    self.refine = refine
    self.keyPaths = keyPaths
  }

  func results(in configuration: Realm.Configuration) -> Results<Element> {
    opened(configuration).frozen
  }

  func live(in configuration: Realm.Configuration) -> Results<Element> {
    opened(configuration).live
  }

  private func opened(
    _ configuration: Realm.Configuration
  ) -> (live: Results<Element>, frozen: Results<Element>) {
    if let results, self.configuration == configuration { return results }
    do {
      let live = refine(try Realm(configuration: configuration).objects(Element.self))
      let made = (live: live, frozen: live.freeze())
      results = made
      self.configuration = configuration
      token = live._follow(keyPaths, on: nil) { [weak self] change in
        guard let self, case .changed(let value) = change, let live = value as? Results<Element>
        else { return }
        objectWillChange.send()
        results = (live, live.freeze())
      }
      return made
    } catch { throwRealmException("The Realm cannot be opened: \(error)") }
  }
}

// MARK: - Environment

private struct RealmConfigurationKey: EnvironmentKey {
  static var defaultValue: Realm.Configuration { .defaultConfiguration }
}

extension EnvironmentValues {
  /// The configuration of the realm of views that are given no other.
  public var realmConfiguration: Realm.Configuration {
    get { self[RealmConfigurationKey.self] }
    set { self[RealmConfigurationKey.self] = newValue }
  }

  /// The realm of `realmConfiguration`. Traps if it cannot be opened.
  public var realm: Realm {
    get {
      do {
        return try Realm(configuration: realmConfiguration)
      } catch { throwRealmException("The Realm cannot be opened: \(error)") }
    }
    set { realmConfiguration = newValue.configuration }
  }
}
#endif
