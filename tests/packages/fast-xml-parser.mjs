import { XMLBuilder, XMLParser, XMLValidator } from 'fast-xml-parser';
const xml = '<?xml version="1.0"?><a x="1" y="&lt;t&gt;"><b>1.50</b><b>0x1f</b><c><![CDATA[<raw>]]></c><!-- note --><d/></a>';
const parsed = new XMLParser({ ignoreAttributes: false, commentPropName: '#comment', cdataPropName: '#cdata' }).parse(xml);
console.log(JSON.stringify(parsed), new XMLBuilder({ ignoreAttributes: false, format: true }).build(parsed));
console.log(XMLValidator.validate('<a><b></a>'), XMLValidator.validate(xml));
