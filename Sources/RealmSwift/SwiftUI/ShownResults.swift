// SPDX-License-Identifier: Apache-2.0

// `ShownResults`: the results that a view shows, and what of them it asks for.

#if canImport(Combine) || OpenCombine
#if canImport(Combine)
import Combine
#else
import OpenCombine
#endif
import Foundation
import RealmSession

/// The condition of the objects that a view shows.
enum ShownCondition<Element> {
  case none
  case predicate(NSPredicate)
  case query((Query<Element>) -> Query<Bool>)

  /// The condition as it can be compared: that of a closure is what the closure describes.
  private var identity: (predicate: NSPredicate?, text: String) {
    switch self {
    case .none: (nil, "")
    case .predicate(let predicate): (predicate, "")
    case .query(let query):
      (nil, "\(query(Query<Element>.subject)._constructPredicate())")
    }
  }

  func isSame(as other: Self) -> Bool {
    let (left, right) = (identity, other.identity)
    return left.text == right.text && left.predicate == right.predicate
  }
}

/// What a view asks for, as its declaration says it.
struct ShownRequest<Element> {
  var configuration: Realm.Configuration?
  var condition = ShownCondition<Element>.none
  var keyPaths: [String]?
  var sortDescriptors: [SortDescriptor] = []

  func isSame(as other: Self) -> Bool {
    configuration == other.configuration && keyPaths == other.keyPaths
      && sortDescriptors == other.sortDescriptors && condition.isSame(as: other.condition)
  }
}

/// The results that a view shows: opened when they are first read, frozen, and renewed after each
/// change.
@MainActor final class ShownResults<Element: RealmFetchable>: ObservableObject {
  private struct Shown {
    let configuration: Realm.Configuration
    var live: Results<Element>
    var frozen: Results<Element>
    /// Something that is made of the frozen results, when it is asked for.
    var derived: Any?
  }

  /// Counts the changes, so that the view hears of them.
  @Published private var changeCount = 0
  private var declared: ShownRequest<Element>
  private var request: ShownRequest<Element>
  private var searched = (text: "", condition: ShownCondition<Element>.none)
  /// Whether the results have the order of the request, or what is derived of them gets it.
  private let isSorted: Bool
  private var shown: Shown?
  private var token: NotificationToken?

  init(_ request: ShownRequest<Element>, isSorted: Bool = true) {
    declared = request
    self.request = request
    self.isSorted = isSorted
  }

  // MARK: What is asked for

  /// Takes a new declaration of the view. What the view asked for meanwhile stays, unless the
  /// declaration changed.
  func declare(_ request: ShownRequest<Element>) {
    guard !request.isSame(as: declared) else { return }
    declared = request
    self.request = request
    shown = nil
  }

  var condition: ShownCondition<Element> {
    get { request.condition }
    set { change { $0.condition = newValue } }
  }

  var sortDescriptors: [SortDescriptor] {
    get { request.sortDescriptors }
    set { change { $0.sortDescriptors = newValue } }
  }

  private func change(_ body: (inout ShownRequest<Element>) -> Void) {
    changeCount += 1
    body(&request)
    shown = nil
  }

  /// Shows the objects alone whose text has `text` in it; all, if that is empty.
  ///
  /// Called while the view is drawn: no observer is notified.
  func search(_ text: String, in path: @escaping (Query<Element>) -> Query<String>) {
    guard text != searched.text else { return }
    searched.text = text
    searched.condition = text.isEmpty ? .none : .query { path($0).contains(text) }
    shown = nil
  }

  // MARK: What is shown

  /// The objects as they are, frozen.
  func results(in configuration: Realm.Configuration) -> Results<Element> {
    opened(configuration).frozen
  }

  func live(in configuration: Realm.Configuration) -> Results<Element> {
    opened(configuration).live
  }

  /// What `make` makes of the frozen results, once for each state of them.
  func derived<Value>(
    in configuration: Realm.Configuration, _ make: (Results<Element>) -> Value
  ) -> Value {
    let results = results(in: configuration)
    if let value = shown?.derived as? Value { return value }
    let value = make(results)
    shown?.derived = value
    return value
  }

  private func opened(_ environment: Realm.Configuration) -> Shown {
    let configuration = request.configuration ?? environment
    if let shown, shown.configuration == configuration { return shown }
    do {
      let live = refined(try Realm(configuration: configuration).objects(Element.self))
      let made = Shown(configuration: configuration, live: live, frozen: live.freeze())
      shown = made
      token = live._follow(request.keyPaths, on: nil) { [weak self] change in
        MainActor.assumeIsolated {
          guard let self, case .changed(let value) = change,
            let live = value as? Results<Element>
          else { return }
          self.changeCount += 1
          self.shown?.live = live
          self.shown?.frozen = live.freeze()
          self.shown?.derived = nil
        }
      }
      return made
    } catch { throwRealmException("The Realm cannot be opened: \(error)") }
  }

  private func refined(_ all: Results<Element>) -> Results<Element> {
    var results = all
    for condition in [searched.condition, request.condition] {
      switch condition {
      case .none: break
      case .predicate(let predicate): results = results._resultsSource.filtered(by: predicate)
      case .query(let query):
        results = results._resultsSource.filtered(by: query(.subject).asCondition)
      }
    }
    let order = request.sortDescriptors
    return isSorted && !order.isEmpty ? results.sorted(by: order) : results
  }
}
#endif
