<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: Apache-2.0 -->
<!-- The top module's ports and parameters as Verilator's XML has them, a line each: a port's name, direction and bits,
     a parameter's name and value. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <xsl:key name="type" match="basicdtype" use="@id"/>
  <xsl:template match="/">
    <xsl:for-each select="//module[@topModule]/var[@pinIndex]">
      <xsl:variable name="type" select="key('type', @dtype_id)"/>
      <xsl:text>port </xsl:text><xsl:value-of select="@origName"/><xsl:text> </xsl:text>
      <xsl:value-of select="@dir"/><xsl:text> </xsl:text>
      <xsl:choose>
        <xsl:when test="$type/@left"><xsl:value-of select="$type/@left - $type/@right + 1"/></xsl:when>
        <xsl:otherwise>1</xsl:otherwise>
      </xsl:choose>
      <xsl:text>
</xsl:text>
    </xsl:for-each>
    <xsl:for-each select="//module[@topModule]/var[@param = 'true']">
      <xsl:text>parameter </xsl:text><xsl:value-of select="@origName"/><xsl:text> </xsl:text>
      <xsl:value-of select="substring-after(const/@name, 'h')"/>
      <xsl:text>
</xsl:text>
    </xsl:for-each>
  </xsl:template>
</xsl:stylesheet>
