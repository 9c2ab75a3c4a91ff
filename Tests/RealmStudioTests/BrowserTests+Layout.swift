// SPDX-License-Identifier: Apache-2.0

// How the page looks, as figures: what scrolls, and how text stands out from its ground.

#if Tools
import Foundation
import RealmBrowserSupport
import RealmFormats
import TestExtensions
import Testing

@testable import RealmStudio

extension BrowserTests {
  /// What the page shows in the tests of its look, one after the other.
  private func states(
    _ browser: Browser, _ look: (String) async throws -> Void
  ) async throws {
    try await choose("Person", browser)
    try await browser.click("#cell-2-2")
    try await browser.wait("document.querySelector('#inspector h2')?.innerText === 'Cleo'")
    try await look("table")
    try await browser.click("[data-chart=age]")
    try await browser.wait("document.querySelectorAll('#chart rect').length === 40")
    try await look("chart")
    try await browser.click("[data-facet=name]")
    try await browser.wait("document.querySelectorAll('.facet').length === 8")
    try await look("values")
    try await browser.click("#begin")
    try await browser.wait("document.querySelector('#commit')")
    try await browser.click("[data-property=extra] [aria-label='Add to extra']")
    try await look("editing")
    try await browser.click("#new-property")
    try await look("new property")
    try await browser.press(.escape)
    try await browser.click("#change-class")
    try await look("class")
    try await browser.click("dialog > button.primary")
    try await browser.click("#cancel")
    try await browser.click("#columns")
    try await look("columns")
    try await browser.click("dialog > button.primary")
    try await browser.click("#query")
    try await browser.type("friends.@count > 2 AND home.")
    try await browser.wait("document.querySelectorAll('#completions li').length === 2")
    try await look("completions")
    try await browser.press(.escape)
    try await browser.type(
      "nothing == 'a text that is long enough to fill the window, and more of it'")
    try await browser.press(.enter)
    try await browser.wait("!document.querySelector('#query-error').hidden")
    try await look("mistake")
    try await browser.click("#help")
    try await look("keys")
    try await browser.press(.escape)
    try await browser.click("#diagram-toggle")
    try await browser.wait("document.querySelector('#diagram .box')")
    try await look("diagram")
  }

  @Test(arguments: [390, 800, 1280])
  func nothingButTheTableScrollsSideways(_ width: Int) async throws {
    try await withPage(width: width, height: 800) { browser, _ in
      try await states(browser) { state in
        // A sideways scroll bar, or something cut off at the edge of the window.
        let script = """
          (() => {
            const wrong = [];
            const page = document.documentElement;
            if (page.scrollWidth > page.clientWidth) wrong.push(`page ${page.scrollWidth}`);
            for (const one of document.body.querySelectorAll("*")) {
              if (one.closest("#grid")) continue;
              const name = `${one.tagName}#${one.id}.${one.className}`;
              const box = one.getBoundingClientRect();
              if (box.width && (box.right > innerWidth + 1 || box.left < -1)) {
                wrong.push(`${name} from ${box.left} to ${box.right}`);
              }
              const style = getComputedStyle(one);
              const cuts = ["auto", "scroll", "hidden"].includes(style.overflowX)
                && style.textOverflow !== "ellipsis" && !one.closest("svg, input, option, select");
              if (cuts && one.clientWidth && one.scrollWidth > one.clientWidth + 1) {
                wrong.push(`${name} has ${one.scrollWidth} of ${one.clientWidth}`);
              }
            }
            return wrong.join("; ");
          })()
          """
        let wrong = try await browser.text(script)
        expectEqual(wrong, "", "\(state), \(width) px")
      }
    }
  }

  /// The rule of WCAG 2 for text, at every text that the page shows, in both themes.
  @Test(arguments: ["light", "dark"])
  func everyTextStandsOutFromItsGround(_ theme: String) async throws {
    try await withPage { browser, _ in
      try await browser.click("#theme")
      if theme == "dark" { try await browser.click("#theme") }
      try await expectEqual(browser.text("document.documentElement.dataset.theme"), theme)
      var count = 0
      try await states(browser) { state in
        try await browser.wait("document.getAnimations().length === 0")
        let found = try #require(try await browser.evaluate(Self.contrast).array)
        count += Int(found.first?.integer ?? 0)
        let wrong = found.dropFirst().compactMap(\.string)
        expectTrue(wrong.isEmpty, "\(state): \(wrong.joined(separator: "; "))")
      }
      expectTrue(count > 500)
    }
  }

  /// The number of texts, then those with a contrast below 4.5.
  private static let contrast = """
    (() => {
      const context = document.createElement("canvas")
        .getContext("2d", { willReadFrequently: true });
      const parsed = (color) => {
        context.clearRect(0, 0, 1, 1);
        context.fillStyle = color;
        context.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
        return [r, g, b, a / 255];
      };
      const over = (top, below) => top.slice(0, 3).map((part, index) =>
        part * top[3] + below[index] * (1 - top[3]));
      const light = (color) => {
        const [r, g, b] = color.map((part) => part / 255).map((part) =>
          part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const ground = (element) => {
        const grounds = [];
        let opacity = 1;
        for (let one = element; one; one = one.parentElement) {
          const style = getComputedStyle(one);
          opacity *= Number(style.opacity);
          const color = parsed(style.backgroundColor);
          if (color[3] > 0) grounds.push(color);
          if (color[3] === 1) break;
        }
        const white = [255, 255, 255];
        return [grounds.reverse().reduce((below, top) => over(top, below), white), opacity];
      };
      const result = [0];
      const check = (element, color, text) => {
        let [below, opacity] = ground(element);
        if (element instanceof SVGElement) {
          // The texts of the diagram stand on their boxes, or on the heads of these.
          const head = element.closest(".box") && Number(element.getAttribute("y")) < 30;
          const box = element.closest(".box")?.querySelector(head ? ".title" : "rect");
          if (box) below = parsed(getComputedStyle(box).fill);
          color = getComputedStyle(element).fill;
        }
        const front = parsed(color);
        front[3] *= opacity;
        const [a, b] = [light(over(front, below)), light(below)].sort((x, y) => y - x);
        const contrast = (a + 0.05) / (b + 0.05);
        result[0] += 1;
        if (contrast < 4.5) {
          result.push(`'${text.slice(0, 30)}' (${element.tagName}.${element.className}): `
            + contrast.toFixed(2));
        }
      };
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const element = walker.currentNode.parentElement;
        const text = walker.currentNode.data.trim();
        if (!text || !element.getClientRects().length || element.closest("title, option")) continue;
        check(element, getComputedStyle(element).color, text);
      }
      for (const field of document.querySelectorAll("input, select")) {
        if (!field.getClientRects().length) continue;
        check(field, getComputedStyle(field).color, `field ${field.ariaLabel ?? field.id}`);
        if (field.placeholder) {
          check(field, getComputedStyle(field, "::placeholder").color, field.placeholder);
        }
      }
      return result;
    })()
    """

  @Test func aPageWithoutTokenSaysWhatToDo() async throws {
    try await withPage { browser, studio in
      let address = try #require(studio.address.split(separator: "?").first)
      try await browser.order("Network.clearBrowserCookies", [])
      try await browser.visit("\(address)")
      let text = try await browser.text("document.body.innerText")
      expectTrue(text.contains("The token is missing or wrong."))
      expectTrue(text.contains("Open the address that 'realm studio' prints"))
      expectTrue(text.contains("\(address)?token="))
      try await expectEqual(browser.text("document.title"), "Realm Studio")
    }
  }
}
#endif
