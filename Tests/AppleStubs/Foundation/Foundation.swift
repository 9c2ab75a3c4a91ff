// SPDX-License-Identifier: Apache-2.0

// What Foundation has on Apple's systems only, for the sources that are checked with this file.

// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation

func CFGetTypeID(_ object: AnyObject?) -> UInt { fatalError() }
func CFBooleanGetTypeID() -> UInt { fatalError() }

extension NSPredicate {
  var predicateFormat: String { fatalError() }
}

extension PredicateExpressions {
  struct StringLocalizedStandardContains<Root: PredicateExpression, Other: PredicateExpression>:
    PredicateExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    typealias Output = Bool
    let root: Root
    let other: Other
    func evaluate(_ bindings: PredicateBindings) throws -> Bool { fatalError() }
  }

  struct StringCaseInsensitiveCompare<Root: PredicateExpression, Other: PredicateExpression>:
    PredicateExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    typealias Output = ComparisonResult
    let root: Root
    let other: Other
    func evaluate(_ bindings: PredicateBindings) throws -> ComparisonResult { fatalError() }
  }
}
